"""Tracks as geometries, as nested arrays and compressed: Shapely, Awkward Array and Blosc2. The expectations were written before the program was traced for
the first time, from the sources of the libraries: shapely.linestrings with indices makes both arrays float64 and intp, in C order, by numpy.asarray, and has
three typed memoryviews; shapely.transform copies an array of geometries by numpy.array; Awkward reads containers by numpy.frombuffer; Blosc2 requests a
buffer of what it compresses, and of what it decompresses a memoryview, a typed one of that, and a buffer of the target."""
import awkward as ak  # expect: any
import blosc2  # expect: any
import numpy as np
import shapely  # expect: any

N_TRACKS, N_POINTS = 25, 40

rng = np.random.default_rng(7)
tracks = [rng.random((N_POINTS, 2)) for _ in range(N_TRACKS)]
index = np.repeat(np.arange(4), N_POINTS // 4)
narrow_index = index.astype("i4")
length = 0.0
for track in tracks:
    lines = shapely.linestrings(track, indices=index)  # expect: buffer numpy>shapely 75
    narrow = shapely.linestrings(track.astype("f4"), indices=index)  # expect: numpy-api numpy>shapely 25 copied; buffer numpy>shapely 75
    columns = shapely.linestrings(np.asfortranarray(track), indices=index)  # expect: numpy-api numpy>shapely 25 copied; buffer numpy>shapely 75
    both = shapely.linestrings(track, indices=narrow_index)  # expect: numpy-api numpy>shapely 25 copied; buffer numpy>shapely 75
    moved = shapely.transform(lines, lambda points: points + 1.0)  # expect: numpy-api numpy>shapely 25 copied
    length += sum(float(shapely.length(part).sum()) for part in (lines, narrow, columns, both, moved))
    length += float(shapely.get_coordinates(shapely.points(track)).sum())

form = ak.forms.from_dict({"class": "ListOffsetArray", "offsets": "i64", "form_key": "node0", "content": {"class": "NumpyArray", "primitive": "float64", "form_key": "node1"}})
offsets = np.arange(5) * (N_POINTS // 4)
for track in tracks:
    container = {"node0-offsets": offsets.tobytes(), "node1-data": track[:, 0].tobytes()}
    nested = ak.from_buffers(form, 4, container)  # expect: buffer python>numpy 50 shared
    flat = ak.from_dlpack(np.arange(8.0))  # expect: dlpack numpy>numpy 25 shared
    own = ak.from_numpy(track)
    length += len(nested) + len(flat) + len(own)

packed = [blosc2.compress2(track) for track in tracks]  # expect: buffer numpy>blosc2 25
text = [blosc2.compress2(track.tobytes()) for track in tracks]  # expect: buffer python>blosc2 25
for track, one, two in zip(tracks, packed, text):
    target = np.empty_like(track)
    blosc2.decompress2(one, target)  # expect: buffer python>blosc2 50; buffer numpy>blosc2 25
    length += float(target.sum())
    length += float(np.frombuffer(blosc2.decompress2(two)).sum())  # expect: buffer python>blosc2 50; buffer python>numpy 25 shared
print(round(length, 6))
