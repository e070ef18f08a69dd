"""The program of the help texts' examples of suai trace."""
import hashlib

import arrays

print(hashlib.sha256(arrays.a).hexdigest())
