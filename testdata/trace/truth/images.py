# Pillow and OpenCV, of which the tracer knows one type at most: images as arrays and back, and arrays whose rows are reversed, which
# OpenCV copies silently. Pillow copies its pixels to a bytes object for its interface, which NumPy receives as a buffer.
import cv2
import numpy as np
from PIL import Image

image = Image.new("L", (40, 30))
pixels = np.zeros((30, 40), dtype=np.uint8)
reversed_pixels = pixels[::-1]
for i in range(120):
    a = np.asarray(image)  # expect: numpy PIL>numpy 120 copied; buffer python>numpy 120 shared
for i in range(100):
    b = Image.fromarray(pixels)  # expect: numpy numpy>PIL 100; buffer numpy>PIL 100
for i in range(150):
    c = cv2.flip(reversed_pixels, 1)  # expect: numpy-api numpy>cv2 150 copied
for i in range(80):
    d = cv2.flip(pixels, 1)
print(a.sum(), b.size, c.shape, d.shape)
