"""A recording that is written, read and sent to receivers: soundfile and pyzmq. The expectations were written before the program was traced for the first
time, from the sources of the libraries: soundfile reads __array_interface__ for each call of libsndfile, pyzmq requests a buffer for each message.
One was missing: pyzmq makes a memoryview to find out whether a message is so small that it copies it after all, and then requests the buffer of that."""
import os
import tempfile

import numpy as np
import soundfile  # expect: any
import zmq  # expect: any

N_TAKES, N_FRAMES = 30, 2048

wave = np.sin(np.arange(N_FRAMES) * 0.05).astype("f4")
stereo = np.stack([wave, wave[::-1]])
total = 0.0
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "take.wav")
    for take in range(N_TAKES):
        soundfile.write(path, wave, 8000, subtype="FLOAT")  # expect: numpy numpy>soundfile 30
        back, rate = soundfile.read(path, dtype="float32")  # expect: numpy numpy>soundfile 30
        total += float(back.sum())
    for take in range(N_TAKES):
        soundfile.write(path, stereo.T, 8000, subtype="FLOAT")  # expect: numpy numpy>soundfile 30; numpy-api numpy>soundfile 30 copied

context = zmq.Context()
sender, receiver = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
sender.bind("inproc://waves")
receiver.connect("inproc://waves")
for take in range(N_TAKES):
    sender.send(wave)  # expect: buffer numpy>zmq 30
    message = receiver.recv()
    total += float(np.frombuffer(message, "f4").sum())  # expect: buffer python>numpy 30 shared
for take in range(N_TAKES):
    sender.send(wave, copy=False)  # expect: buffer numpy>zmq 30; buffer python>zmq 30
    frame = receiver.recv(copy=False)
    total += float(np.frombuffer(frame, "f4").sum())  # expect: buffer zmq>numpy 30 shared
print(round(total, 2))
context.destroy()
