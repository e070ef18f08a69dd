"""Reads a trace of `suai trace -f perfetto` as viewers of Chrome's trace event format do, checks it, and prints what it shows:
tracks, exchanges by pair, line and verdict, and holds by how they ended.

Usage: check_perfetto.py TRACE"""

import collections
import json
import sys


def fail(event, reason):
    sys.exit("%s: %s" % (reason, json.dumps(event)))


def nanoseconds(event, key):
    if type(event[key]) is not float or event[key] < 0:
        fail(event, "%s is not a number of microseconds" % key)
    return round(event[key] * 1000)


def check_keys(event):
    expected = {
        "M": {"ph", "name", "pid", "tid", "args"},
        "X": {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"},
        "s": {"ph", "cat", "name", "pid", "tid", "ts", "id"},
        "f": {"ph", "cat", "name", "pid", "tid", "ts", "id", "bp"},
        "b": {"ph", "cat", "name", "pid", "tid", "ts", "id2", "args"},
        "e": {"ph", "cat", "name", "pid", "tid", "ts", "id2", "args"},
    }
    if set(event) != expected[event["ph"]]:
        fail(event, "unexpected keys")


def check_slice(event, ends):
    """Slices of a track are one after another: each begins when those before it have ended."""
    track = event["pid"], event["tid"]
    begin = nanoseconds(event, "ts")
    if begin < ends.get(track, 0):
        fail(event, "overlaps the slice before it")
    ends[track] = begin + nanoseconds(event, "dur")


def main():
    trace = json.load(open(sys.argv[1], encoding="utf-8"))
    tracks, processes, ends, open_flows, open_holds = {}, {}, {}, {}, {}
    exchanges, holds = collections.Counter(), collections.Counter()
    last, n_flows, ids = 0, 0, set()
    for event in trace["traceEvents"]:
        check_keys(event)
        phase = event["ph"]
        if phase == "M":
            if event["name"] == "process_name":
                processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                if (event["pid"], event["tid"]) in tracks:
                    fail(event, "has the number of another track")
                tracks[event["pid"], event["tid"]] = event["args"]["name"]
            continue
        if (event["pid"], event["tid"]) not in tracks or event["pid"] not in processes:
            fail(event, "has no track")
        at = nanoseconds(event, "ts")
        if at < last:
            fail(event, "is before the event in front of it")
        last = at
        name = tracks[event["pid"], event["tid"]]
        if phase == "X":
            check_slice(event, ends)
            slice_of_flow = event
            if event["cat"] in ("exchange", "transfer"):
                args = event["args"]
                if name != (args["consumer"] or "(unknown)"):
                    fail(event, "is on another track than its consumer's")
                exchanges[args["producer"], args["consumer"], args["line"], args.get("verdict"), args["bytes"]] += args.get("transfers", 1)
            elif event["cat"] != "export" or not event["name"].startswith(name + " -> "):
                fail(event, "is on another track than its producer's")
        elif phase in "sf":
            if (event["pid"], event["tid"], event["ts"]) != (slice_of_flow["pid"], slice_of_flow["tid"], slice_of_flow["ts"]):
                fail(event, "is in no slice")
            if phase == "s":
                open_flows[event["id"]] = event
                n_flows += 1
            elif event["bp"] != "e" or not open_flows.pop(event["id"], None):
                fail(event, "has no beginning")
        elif phase == "b":
            # Viewers show a slice without an id of its process outside of the process.
            hold = event["pid"], event["id2"]["local"]
            if hold in ids or event["name"] != "held by " + name:
                fail(event, "has the id or the name of another one")
            ids.add(hold)
            open_holds[hold] = event
        elif phase == "e":
            begin = open_holds.pop((event["pid"], event["id2"]["local"]), None) or fail(event, "has no beginning")
            if begin["name"] != event["name"]:
                fail(event, "is of another hold")
            holds[event["args"]["released"]] += 1
    if open_flows or open_holds:
        sys.exit("without an end: %s %s" % (open_flows, open_holds))
    other = trace["otherData"]
    print("%d processes: %s" % (len(processes), ", ".join(sorted(set(processes.values())))))
    print("tracks: " + ", ".join(sorted(set(tracks.values()))))
    for key, count in sorted(exchanges.items(), key=str):
        print("%d: %s -> %s, line %s, %s, %d bytes" % (count, *key))
    print("held: " + ", ".join("%d %s" % (count, how) for how, count in sorted(holds.items())))
    print("%d flows, %d events, %d dropped, %d exchanges" % (n_flows, other["events"], other["dropped_events"], other["totals"]["exchanges"]))


main()
