"""Scans of a clinic: SimpleITK, pydicom, NIfTI images of nibabel, contours of scikit-image. The expectations were written before the program was traced for the
first time, from the sources of the libraries. Two were wrong: nibabel copies the affine matrix a second time, for the header, and __array__() of its proxy
converts what it reads, which is a copy."""
import io

import numpy as np
import nibabel  # expect: any
import pydicom  # expect: any
import SimpleITK  # expect: any
from pydicom.dataset import FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid
from skimage.measure import find_contours  # expect: any

N_SCANS, SHAPE = 40, (6, 32, 48)


def scan(number):
    z, y, x = np.ogrid[: SHAPE[0], : SHAPE[1], : SHAPE[2]]
    return (1000 * np.exp(-((z - 3) ** 2 + (y - 16) ** 2 + (x - 10 - number % 20) ** 2) / 60.0)).astype("f4")


def to_dicom(slice_):
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = CTImageStorage
    meta.MediaStorageSOPInstanceUID = generate_uid(entropy_srcs=["scan"])
    data = pydicom.Dataset()
    data.file_meta = meta
    data.SOPClassUID, data.SOPInstanceUID = CTImageStorage, meta.MediaStorageSOPInstanceUID
    data.Rows, data.Columns, data.SamplesPerPixel = SHAPE[1], SHAPE[2], 1
    data.BitsAllocated = data.BitsStored = 16
    data.HighBit, data.PixelRepresentation, data.PhotometricInterpretation = 15, 0, "MONOCHROME2"
    data.PixelData = slice_.astype("u2").tobytes()
    written = io.BytesIO()
    pydicom.dcmwrite(written, data, enforce_file_format=True)
    return written.getvalue()


def from_dicom(document):
    return pydicom.dcmread(io.BytesIO(document)).pixel_array  # expect: buffer python>numpy 40 shared


def to_nifti(volume, affine):
    image = nibabel.Nifti1Image(volume, affine)  # expect: numpy-api numpy>nibabel 80 copied
    return image.to_bytes()


def from_nifti(document):
    # The header is read, copied for the proxy of the data, and for the image.
    image = nibabel.Nifti1Image.from_bytes(document)  # expect: buffer python>numpy 120
    return image.get_fdata()  # expect: buffer python>numpy 40 copied


total = 0.0
affine = np.diag([1.0, 1.0, 2.0, 1.0])
for number in range(N_SCANS):
    volume = scan(number)
    image = SimpleITK.GetImageFromArray(volume)  # expect: buffer numpy>SimpleITK 40
    view = SimpleITK.GetArrayViewFromImage(image)  # expect: buffer python>numpy 40 shared
    total += float(view.max())
    smooth = SimpleITK.Mean(image, [1, 1, 1])
    own = SimpleITK.GetArrayFromImage(smooth)  # expect: buffer python>numpy 40 shared; numpy-api numpy>SimpleITK 40 copied
    pixels = from_dicom(to_dicom(own[3]))
    back = from_nifti(to_nifti(own, affine))
    lines = find_contours(own[3], 400.0)  # expect: buffer numpy>skimage 40
    total += float(pixels.sum()) + float(back.sum()) + len(lines)
print(round(total, 1))
