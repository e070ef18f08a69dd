"""Pictures that are filtered, written and read: OpenCV, imageio and Pillow. The expectations were written before the program was traced for the first time,
from the sources of the libraries: OpenCV copies arrays whose strides it does not accept by PyArray_NewCopy, Pillow reads the interface of an array and maps its
buffer for grey pictures, and exports its own pictures as new bytes.
Missing were the buffer of these bytes, which NumPy requests, and the copy that imageio makes of what it reads, to return a writable array."""
import os
import tempfile

import cv2  # expect: any
import imageio.v3 as imageio  # expect: any
import numpy as np
import PIL.Image  # expect: any

N_PICTURES = 25

grey = (np.arange(64 * 64) % 251).astype("u1").reshape(64, 64)
total = 0
for n in range(N_PICTURES):
    total += int(cv2.blur(grey, (3, 3)).sum())
    total += int(cv2.blur(grey[:, ::-1], (3, 3)).sum())  # expect: numpy-api numpy>cv2 25 copied
    total += int(cv2.blur(grey.T, (3, 3)).sum())  # expect: numpy-api numpy>cv2 25 copied

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "grey.png")
    for n in range(N_PICTURES):
        imageio.imwrite(path, grey)  # expect: numpy numpy>PIL 25; buffer numpy>PIL 25
        total += int(imageio.imread(path).sum())  # expect: numpy PIL>numpy 25 copied; buffer python>numpy 25 shared; numpy-api numpy>imageio 25 copied
    for n in range(N_PICTURES):
        picture = PIL.Image.fromarray(grey)  # expect: numpy numpy>PIL 25; buffer numpy>PIL 25
        total += int(np.asarray(picture).sum())  # expect: numpy PIL>numpy 25 copied; buffer python>numpy 25 shared
        total += int(np.array(picture.rotate(90)).sum())  # expect: numpy PIL>numpy 25 copied; buffer python>numpy 25 copied
print(total)
