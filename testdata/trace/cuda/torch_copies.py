# expect at least: to_device=46 to_host=46 between_devices=7 (with two devices)
import torch

x = torch.arange(1000, dtype=torch.float32)
pinned = x.pin_memory()
for i in range(20):
    d = x.cuda()
for i in range(20):
    d = pinned.cuda(non_blocking=True)
for i in range(20):
    h = d.cpu()
for i in range(20):
    value = d[i].item()
s = torch.cuda.Stream()
for i in range(5):
    s.wait_stream(torch.cuda.current_stream())
m = torch.zeros(64, 64).cuda()
h = m[:, ::2].cpu()
h = m.t().to("cpu")
received = torch.empty(1000).pin_memory()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    d.copy_(pinned, non_blocking=True)
    received.copy_(d, non_blocking=True)
for i in range(6):
    graph.replay()
if torch.cuda.device_count() > 1:
    for i in range(7):
        far = d.to("cuda:1")
    far[::2].to("cuda:0")
    torch.cuda.synchronize(1)
torch.cuda.synchronize()
