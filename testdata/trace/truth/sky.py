"""Images of the sky: astropy, scikit-image, OpenCV, a file of h5py in memory, and checksums.

The expectations were written from the documentation of the libraries, before this program was traced.
"""
import io
import zlib
import h5py  # expect: any
import numpy as np
import cv2  # expect: any
from astropy import units as u  # expect: any
from astropy.io import fits  # expect: any
from skimage import util  # expect: any

frames = [np.full((16, 16), float(k)) for k in range(12)]
total = 0.0
with h5py.File("x", "w", driver="core", backing_store=False) as f:
    store = f.create_dataset("d", (12, 16, 16), "f8")
    for k, frame in enumerate(frames):
        q = u.Quantity(frame, "m")  # expect: numpy-api numpy>astropy 12 copied
        v = u.Quantity(frame, "m", copy=False)
        total += float(q.value.sum() + v.value.sum())
        store[k] = frame
        hdu = fits.PrimaryHDU(frame)
        out = io.BytesIO()
        hdu.writeto(out)
        total += len(out.getvalue())
        crc = zlib.crc32(frame)  # expect: buffer numpy>python 12
        ok, png = cv2.imencode(".png", frame.astype("u1"))
        back = cv2.imdecode(np.frombuffer(png.tobytes(), "u1"), cv2.IMREAD_GRAYSCALE)  # expect: buffer python>numpy 12 shared
        total += float(back.sum()) + crc % 7
        view = util.view_as_blocks(frame, (4, 4))
        inverted = util.invert(view)
        total += float(inverted.sum())
    raw = bytearray(16 * 16 * 8)
    target = np.frombuffer(raw).reshape(16, 16)  # expect: buffer python>numpy 1 shared
    for k in range(12):
        store.read_direct(target, np.s_[k])
        total += target[0, 0]
print(total)
