"""What suai trace costs whole programs without exchanges: processor time with it, divided by that without it, in paired runs, and the same
ratio of pairs of runs without it, which is the noise. Start and report are included.

Usage: trace_programs.py [ROUNDS [NAME...]]   (SUAI: the program; needs NumPy and SciPy)"""

import resource

from paired_runs import compare, run

PROGRAMS = {
    "10^7 np.array(array)": """
import numpy as np
a = np.arange(100.0)
for _ in range(10_000_000):
    np.array(a)
""",
    "3 * 10^6 of each: np.array(list), np.asarray(array), np.asarray(number)": """
import numpy as np
a, values = np.arange(100.0), [1.0, 2.0, 3.0]
for i in range(3_000_000):
    np.array(values); np.asarray(a); np.asarray(i)
""",
    "NumPy: particles": """
import numpy as np
rng = np.random.default_rng(0)
x, v = rng.random((300, 3)), np.zeros((300, 3))
for step in range(150):
    d = x[:, None] - x
    r = np.sqrt((d * d).sum(-1) + 1e-3)
    v -= 1e-4 * (d / r[..., None] ** 3).sum(1)
    x = np.array(x + 1e-3 * v)
    for row in x:
        np.asarray(row).max()
""",
    "SciPy: ODE, quadrature, root": """
import numpy as np
from scipy import integrate, optimize
for k in range(40):
    integrate.solve_ivp(lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]], (0, 20), [2.0, 0.0], method="RK45")
    integrate.quad(lambda x: np.exp(-x * x), 0, 5)
    optimize.brentq(lambda x: x ** 3 - k - 1, 0, 5)
""",
    "Python: JSON, hashes, regular expressions, objects": """
import hashlib, json, re, zlib
class Point:
    def __init__(self, x, y): self.x, self.y = x, y
    def moved(self, d): return Point(self.x + d, self.y - d)
data = {"k%d" % i: [i, str(i), {"v": i / 3}] for i in range(300)}
for _ in range(600):
    text = json.dumps(data); json.loads(text)
    zlib.crc32(text.encode()); re.findall(r"[0-9]+\\.[0-9]+", text)
    p = Point(1, 2)
    for i in range(1500): p = p.moved(i)
    for i in range(1000): hashlib.sha256(b"text").digest()
""",
}


def processor_seconds(prefix, name):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(name, prefix, [PROGRAMS[name]])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


compare(PROGRAMS, 11, "seconds", "%.2f", processor_seconds)
