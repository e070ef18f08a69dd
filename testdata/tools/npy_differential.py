#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares suai's verdicts on .npy files with those of numpy.load(allow_pickle=False).

npy_differential.py SUAI EXCEPTIONS [N [SEED]]: uses the headers listed here and N mutations of them.
A file that only one of the two accepts is a disagreement, unless an entry of EXCEPTIONS matches its
header. Each entry is a reason (# lines), a regular expression and an example, which must still
disagree. Exits with 1 if there is a disagreement."""
import json, os, random, re, resource, struct, subprocess, sys, tempfile, warnings
import numpy as np

DESCRS = r"""
'<f8' '>f8' '=f8' '|f8' 'f8' '|u1' '<u1' '|i4' '|b1' '<b1' '|?' '?' 'b' 'B' 'd' '<d' '>d' 'p' 'P' 'N' 'n'
'e' 'g' 'G' 'F' 'D' 'c' '<c' 'l' '<L' 'q' 'Q' 'H' 'I' '<f2' '<f3' '<f12' '<f16' '>c32' '<c4' '<c8' '<F8'
'<d8' '|h2' '|c1' 'b8' '|V08' '<f08' '<f+8' '<f 8' 'V-8' '|S+5' '<f4294967304' '|S4294967301' '' ' f8' 'f8 ' '<f8x'
'|S0' '<U0' '|V0' '|V8' '|S5' '<U5' '>U5' '|U5' '|a5' 'a5' '<a3' 'a' '|a' 'S' 'U' 'V' '|V' '|O' 'O' 'O8' 'O4' 'T'
'|T16' '<T' '|t8' 'StringDType' 'float64' 'float' 'int' 'double' 'half' 'bool' 'bool_' 'complex' 'str' 'bytes'
'object' 'object_' 'void' 'unicode' 'long' 'ulonglong' 'clongdouble' 'int8' '<int8' '|uint16' 'Float64' 'void8'
'datetime64' 'datetime64[ns]' '<datetime64[s]' '>timedelta64[us]' 'datetime64s' 'datetime644' 'm' 'M' 'M8' '<m8'
'<m8[s]' '>M8[25s]' '<m8[as]' '<m8[03s]' '<m8[generic]' '<m8[foo]' '<m8[]' '<m8[25]' '<m8[-1s]' '<m8[1.5s]'
'<M8[s/2]' '<m8[D/24]' '<M8[3h/4]' '<M8[s/7]' '<m8[Y/5]' '<M8[m/1000]' '<M8[as/2]' '<M8[fs/8]' '<M8[s/]'
'<m8[99999999999s]' '<m8[s' '<m4' '<m8[B]' '<M8[ns]x' 'M[s]' 'm08' 'm08[s]' '|S2147483647' '|S2147483648'
'<U536870911' '<U536870912' '|S9223372036854775807' '<f8\x00' '<f8\x00junk' "<f8" '<f'  '8' '''<f8''' r'<f8' u'<f8'
R'<f8' f'<f8' b'<f8' ('<f8') ('<f8',()) ('<f8',1) ('<f8',(1,)) ('<f8',2) ('<f8',(2,),3) ('<f8',) None 5 [] {}
[('a','<f8')] [['a','<f8']] [('a','<f8'),] (('a','<f8'),) [('a','<f8'),('b','>i4')] [('a','<f8'),('a','<i4')]
[('','<f8')] [('','<f8'),('','<f8')] [('','|V8'),('a','<f8')] [('a','<f8'),('','|V8')] [('','|V8')] [('','|V0')]
[('','|V8',(2,)),('a','<f8')] [('','<f8',(2,)),('a','<f8')] [('','<f8',()),('a','<f8')] [('',[('b','<f8')])]
[(('t','a'),'<f8')] [(('t','a'),'<f8'),('t','<i4')] [(('t','a'),'<f8'),(('t','b'),'<i4')] [(('a','a'),'<f8')]
[((None,'a'),'<f8')] [(('','a'),'<f8')] [(('t','a','b'),'<f8')] [(('a',),'<f8')] [(['t','a'],'<f8')] [(('t',1),'<f8')]
[(([],'a'),'<f8')] [(1,'<f8')] [(None,'<f8')] [(b'a','<f8')] [('a','<f8',2)] [('a','<f8',(2,))] [('a','<f8',[2,3])]
[('a','<f8',())] [('a','<f8',0)] [('a','<f8',(0,))] [('a','<f8',1)] [('a','<f8',-1)] [('a','<f8',True)]
[('a','<f8',(True,))] [('a','<f8',None)] [('u','<i4',None)] [('u','<i4',None),('v','<f4')] [('u',('<i4',None))] ('<i4',None) [('a','<f8',2.0)] [('a','<f8',('2',))] [('a','<f8',(2,),1)] [('a',)] [()]
[('a','|S0',5)] [('a','|V0',5)] [('a','U',5)] [('a','|S0',(5,))] [('a','|S0',(5,2))] [('a','|S0',())] [('a','|S0',-5)]
[('a','<f8',(2147483647,))] [('a','|S1',2147483647)] [('a','|S1',2147483648)] [('a','<f8',(65536,65536))]
[('a','|S2147483647'),('b','|S2147483647')] [('a',[('b','<f8')])] [('a',[('b','<f8'),('b','<f8')])] [('a',[])]
[('a',[('b','<f8')],(2,))] [('e',[])] [('e',{})] [('a',('<f8',(2,)))] [('a',('<f8',(2,)),3)] [('a',('<f8',(2,)),(3,4))] [('a','|O')]
[('a',[('b','|O')])] [('a','|O',(0,))] [('a',('|O',(2,)))] [('a','object')] [('a','f8')] [('a',None)] [('a:b','<f8')]
[('a\x00b','<f8'),('a','<f8')] [('a\n','<f8')] [('\\','<f8')] [("it's",'<f8')] [('\ud800','<f8')] [('\777','<f8')]
[('\d','<f8')] [('\x4','<f8')] [('\u00e9','<f8')] [('é','<f8')] [('a' 'b','<f8')] [('a' "b",'<f8')] [(r'a\n','<f8')]
[('a\
b','<f8')] ['<f8'] [1] [('a','<f8'] [('a','<f8')) ['a','<f8'] '<f8
"""
SHAPES = r"""
() (3,) (3) [3] [] (2,3) (2,3,) (0,) (3,0) (True,) (3,False) (None,) (-1,) (-3,) (0,-1) (- 3,) (+3,) (--3,) (-True,)
(3L,) (3 L,) (3l,) (3LL,) (0x3,) (0X_3,) (0x_3,) (0x3_,) (0o3,) (0b11,) (0b12,) (1_0,) (1__0,) (1_,) (_1,) (03,) (00,) (0_0,)
(3.0,) (3.,) (.3,) (3e0,) (3j,) ('3',) (1e400,) (2**3,) (3+0,) (3if True else 4,) (3,)*1 (*(3,),) (3 3) (,) (3,,) None 3 {}
(9223372036854775807,) (9223372036854775808,) (18446744073709551616,) (18446744073709551617,) (0,9223372036854775808)
(0,9223372036854775807,2) (4294967296,4294967296) (4294967296,4294967296,0) (4611686018427387904,4) (1000000000000,)
((3),) ((3,)) (((3,))) ((3,),) (3,#comment
) (3\
,) (3,
) (3,	) (3 ,) ( 3,) (３,) (0x,) (0xffffffffffffffff,) (...,) (set(),) (3,'') (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)
"""
ORDERS = "False True 1 0 None 'False' [] (True) true Trueish True_ Noneé not\xa0True [False] False,".split()
FORMS = [
    "{'descr': D, 'fortran_order': F, 'shape': S, }", "{'descr':D,'fortran_order':F,'shape':S}", '{"shape": S, "fortran_order": F, "descr": D}',
    "{'descr': D, 'fortran_order': F, 'shape': S, }\n", "{'descr': D, 'fortran_order': F, 'shape': S, }   \n  \n", " \t{'descr': D, 'fortran_order': F, 'shape': S, }",
    "\n{'descr': D, 'fortran_order': F, 'shape': S, }", "\n {'descr': D, 'fortran_order': F, 'shape': S, }", "\x0c{'descr': D, 'fortran_order': F, 'shape': S}\x0c",
    "# c\n{'descr': D, 'fortran_order': F, 'shape': S} # c", "({'descr': D, 'fortran_order': F, 'shape': S})", "{'descr': D, 'fortran_order': F, 'shape': S},",
    "{'descr': D, 'fortran_order': F, 'shape': S} x", "{'descr': D, 'fortran_order': F, 'shape': S};", "{'descr': D, 'fortran_order': F, 'shape': S}\x00",
    "{'descr': D, 'fortran_order': F, 'shape': S}\x00junk", "{'descr': D, 'fortran_order': F, 'shape': S}\xa0", "{'descr': D, 'fortran_order': F, 'shape': S}\r",
    "{'descr': D, 'fortran_order': F, 'shape': S}\r\n", "\r\n{'descr': D,\r 'fortran_order': F, # c\r\n 'shape': S}", "{'descr': D, 'fortran_order': F, 'shape': S}\n 3",
    "{'descr': D, 'fortran_order': F, 'shape': S}\n 3", "{'descr': D, 'fortran_order': F, 'shape': S,,}", "{,'descr': D, 'fortran_order': F, 'shape': S}",
    "{'descr': D 'fortran_order': F, 'shape': S}", "{'descr': D, 'fortran_order': F}", "{'descr': D, 'fortran_order': F, 'shape': S, 'x': 1}",
    "{'descr': D, 'fortran_order': F, 'shape': S, 1: 2}", "{'descr': D, 'fortran_order': F, 'shape': S, 'shape': (2,)}", "{'descr': None, 'fortran_order': F, 'shape': S, 'descr': D}",
    "{'de' 'scr': D, 'fortran_order': F, 'shape': S}", "{'descr\\x00': D, 'fortran_order': F, 'shape': S}", "{b'descr': D, 'fortran_order': F, 'shape': S}",
    "{'descr': D, 'fortran_order': F, 'shape': S", "'descr': D, 'fortran_order': F, 'shape': S}", "dict(descr=D, fortran_order=F, shape=S)", "[]", "", "3", "{}",
    "{'descr': D, 'fortran_order': F, **{'shape': S}}", "{('descr'): (D), 'fortran_order': (F), 'shape': (S)}", "{'descr': D, 'fortran_order': F, 'shape': S}" + 9900 * " ",
    "{'descr': D, 'fortran_order': F, 'shape': S}" + 9999 * " ", "{'descr': D, 'fortran_order': F, 'shape': S}" + 30000 * "#", "\xef\xbb\xbf{'descr': D, 'fortran_order': F, 'shape': S}",
]
TOKENS = r""" , : ( ) [ ] { } ' " \ \\ # 0 1 2 3 7 8 L _ - + . e j x < > = | f i u b S U V M m O T a r None True False '' '|O' () (2,) \x00 \n \N{BULLET}
    \u0041 \ud800 '<i2' [('q','<u2')] 'z' é ''' / [s] ** lambda """.split(" ") + ["\n", "\t", "\x0c", "\r", " ", "\x00", "  ", "\\\n", "\xff"]


def split_literals(text):
    """The literals of a block, separated by blanks outside of brackets and quotes."""
    words, word, depth, quote, i = [], "", 0, "", 0
    while i < len(text):
        c = text[i]
        if quote:
            if c == "\\":
                word += c
                i += 1
                c = text[i]
            elif text.startswith(quote, i):
                word += quote[1:]
                i += len(quote) - 1
                c, quote = quote[0], ""
        elif c in "'\"":
            quote = 3 * c if text.startswith(3 * c, i) else c
            word += quote[1:]
            i += len(quote) - 1
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == " " and depth <= 0 and text[i + 1:i + 2] == " ":
            word += " "
            i += 1
        elif c in " \n" and depth <= 0:
            depth = 0
            if word:
                words.append(word)
            word = ""
            i += 1
            continue
        word += c
        i += 1
    return words + [word] if word else words


def file_of(header, version=(1, 0), data=480, length=None):
    encoded = header.encode("utf-8" if version[0] == 3 else "latin-1", "surrogatepass" if version[0] == 3 else "replace")
    length = len(encoded) if length is None else length
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", length & 0xFFFF) + encoded + bytes(data)


def fill(form, descr="'<f8'", order="False", shape="(3,)"):
    return form.replace("D", descr, 1).replace("F", order, 1).replace("S", shape, 1)


def listed():
    """Each part of a header with all others valid, and each version and length."""
    descrs, shapes = split_literals(DESCRS), split_literals(SHAPES)
    form = FORMS[0]
    headers = [fill(form, descr=d) for d in descrs] + [fill(form, shape=s) for s in shapes]
    headers += [fill(form, order=o) for o in ORDERS] + [fill(f) for f in FORMS]
    headers += [fill(form, shape="(" + n * "1," + ")") for n in (32, 33, 64, 65)]
    headers += [fill(form, descr="[('a','<f8',(" + n * "1," + "))]") for n in (64, 65)]
    headers += [fill(form, descr=n * "[('a'," + "'<f8'" + n * ")]") for n in (2, 20)]
    for header in headers:
        yield header, file_of(header)
        yield header, file_of(header, (3, 0))
        yield header, file_of(header, data=0)
    healthy = fill(form)
    for version in [(1, 0), (2, 0), (3, 0), (1, 1), (1, 9), (2, 1), (3, 255), (0, 0), (4, 0), (255, 0)]:
        yield healthy, file_of(healthy, version)
        yield fill(form, shape="(3L,)"), file_of(fill(form, shape="(3L,)"), version)
    whole = file_of(healthy, data=24)
    for n in range(len(whole) + 1):
        yield healthy, whole[:n]
    for length in (0, 1, len(healthy) - 1, len(healthy) + 1, 65535):
        yield healthy, file_of(healthy, length=length)


def mutated(rng):
    descrs, shapes = split_literals(DESCRS), split_literals(SHAPES)
    header = fill(rng.choice(FORMS[:5]), rng.choice(descrs), rng.choice(ORDERS[:2]), rng.choice(shapes[:9]))
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        at = rng.randrange(len(header) + 1)
        end = min(len(header), at + rng.choice((0, 0, 1, 1, 2, 5)))
        header = header[:at] + rng.choice((rng.choice(TOKENS), rng.choice(TOKENS), "", rng.choice(descrs), header[at:end] * 2)) + header[end:]
    version = rng.choice(((1, 0), (1, 0), (1, 0), (2, 0), (3, 0)))
    file = bytearray(file_of(header, version, rng.choice((0, 24, 480, 4096))))
    if rng.random() < 0.05:
        file[rng.randrange(min(len(file), 12))] = rng.randrange(256)
    return header, bytes(file)


def numpy_accepts(path):
    try:
        np.load(path, allow_pickle=False)
        return "accepted"
    except Exception as error:  # any exception is a refusal
        return f"{type(error).__name__}: {error}"


def numpy_verdicts(paths):
    """In child processes, since numpy.dtype('<M8[s/0]') kills the process."""
    verdicts = []
    while len(verdicts) < len(paths):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            warnings.simplefilter("ignore")
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with os.fdopen(writer, "w") as out:
                for path in paths[len(verdicts):]:
                    print(json.dumps(numpy_accepts(path)), file=out, flush=True)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as lines:
            verdicts += [json.loads(line) for line in lines]
        if os.waitpid(child, 0)[1]:
            verdicts.append("it crashed")
    return verdicts


def suai_verdicts(suai, paths):
    run = subprocess.run([suai, "validate", "--isolated", "-f", "json", *paths], stdout=subprocess.PIPE, check=False)
    assert run.returncode in (0, 1), run.returncode
    targets = json.loads(run.stdout)["targets"]
    assert len(targets) == len(paths)
    return ["; ".join(f["message"] for f in t["findings"] if f["severity"] == "error") or "accepted" for t in targets]


def read_exceptions(path):
    entries = []
    with open(path, encoding="utf-8") as file:
        for block in re.split(r"\n\n+", file.read().strip("\n")):
            lines = [line for line in block.split("\n") if not line.startswith("#")]
            if lines:
                pattern, example = lines
                entries.append((re.compile(pattern, re.S), example.encode().decode("unicode_escape")))
    return entries


def compare(suai, files, folder):
    """Yields the headers on which the two disagree."""
    for start in range(0, len(files), 1000):
        part = files[start:start + 1000]
        paths = []
        for i, (_, data) in enumerate(part):
            paths.append(os.path.join(folder, f"{i}.npy"))
            with open(paths[-1], "wb") as file:
                file.write(data)
        for (header, _), ours, theirs in zip(part, suai_verdicts(suai, paths), numpy_verdicts(paths)):
            if (ours == "accepted") != (theirs == "accepted"):
                yield header, ours, theirs


def main():
    suai, exceptions = sys.argv[1], read_exceptions(sys.argv[2])
    n_mutated = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    files = list(listed()) + [mutated(rng) for _ in range(n_mutated)]
    n_unexpected = n_excepted = 0
    with tempfile.TemporaryDirectory() as folder:
        for header, ours, theirs in compare(suai, files, folder):
            if any(pattern.search(header) for pattern, _ in exceptions):
                n_excepted += 1
                continue
            n_unexpected += 1
            print(f"{header!r:.300}\n  suai:  {ours}\n  NumPy: {theirs}")
        examples = [(example, file_of(example, (3, 0) if "\\N" in example else (1, 0))) for _, example in exceptions]
        found = {header for header, _, _ in compare(suai, examples, folder)}
        for pattern, example in exceptions:
            if example not in found or not pattern.search(example):
                n_unexpected += 1
                print(f"an exception that is none: {pattern.pattern}: {example!r}")
    print(f"{len(files)} files, {n_excepted} deliberate exceptions, {n_unexpected} disagreements")
    return n_unexpected > 0


if __name__ == "__main__":
    sys.exit(main())
