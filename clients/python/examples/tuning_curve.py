# %% [markdown]
# # The tuning curve of an operator
# Tunes one operator on a device of a hone service, and draws how the best time came down with the trials. Run it cell by cell in an editor that knows `# %%`, or as a whole:
#
#     pip install './clients/python[examples]'
#     HONE_TOKEN=… python tuning_curve.py http://127.0.0.1:9190 native matmul:256x256x256 128 curve.png

# %%
from __future__ import annotations

import sys

import matplotlib
import pandas

matplotlib.use("Agg")  # a file is drawn; leave this out to see it in a notebook
import matplotlib.pyplot as plt
from hone_client import Client, JobError, Operator, Tune

given = dict(enumerate(sys.argv[1:]))
url, target, operator = given.get(0, "http://127.0.0.1:9190"), given.get(1, "native"), given.get(2, "matmul:256x256x256")
trials, picture = int(given.get(3, 128)), given.get(4, "tuning_curve.png")
client = Client(url)  # the token is that of HONE_TOKEN

# %% [markdown]
# ## Which devices are there?

# %%
for device in client.devices.list():
    print(f"{device.label or device.device_id}: {device.kind}, {device.state}, {device.fingerprint.description or device.fingerprint.device}")

# %% [markdown]
# ## Tune
# The progress comes as it goes. The search ends with this program, should that be interrupted; what was measured until then is kept.

# %%
with client.jobs.start(Tune(Operator(operator), target=target, trials=trials)) as job:
    try:
        for progress in job:
            print(f"\r{progress.phase}: {progress.trials_done}/{progress.trials_total} trials, best {progress.best_us:.1f} µs, {progress.left_s:.0f} s left ", end="", file=sys.stderr)
    except JobError as failed:
        sys.exit(f"\n{failed}")
print(file=sys.stderr)
task = job.result["tasks"][0]
print(f"{task['op']}: {task['best_ms'] * 1000:.1f} µs, {task['gflops']:.0f} GFLOP/s")

# %% [markdown]
# ## The records as a frame
# A row for each attempt, in the order in which they were measured. What an earlier job measured of the task counts as tried and is not measured again, so the curve is that of the task on
# this class of devices, whoever measured it.

# %%
frame = client.records.frame(tasks=[task["id"]], device_key=job.result["device"]["key"])
measured = frame[frame["origin"].isin(["seed", "search"])]
candidates = measured.drop_duplicates("source").reset_index(drop=True)
timed = measured[measured["outcome"] == "ok"].drop_duplicates("source").set_index("source")["latency_us_median"]  # after an unstable attempt, the next one
times_us = candidates["source"].map(timed)
curve = pandas.DataFrame({"trial": candidates.index + 1, "origin": candidates["origin"], "time_us": times_us, "best_us": times_us.cummin().ffill()})
print(curve.groupby("origin")["time_us"].describe()[["count", "min", "50%", "max"]])

# %% [markdown]
# ## The curve

# %%
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
for origin, colour in (("seed", "tab:orange"), ("search", "tab:blue")):
    some = curve[curve["origin"] == origin]
    axes.scatter(some["trial"], some["time_us"], s=12, color=colour, alpha=0.6, label=f"{origin}: a candidate")
axes.step(curve["trial"], curve["best_us"], where="post", color="black", label="best so far")
naive_us = frame.loc[(frame["origin"] == "naive") & (frame["outcome"] == "ok"), "latency_us_median"].min()
if pandas.notna(naive_us):
    axes.axhline(naive_us, color="grey", linestyle=":", label="naive: without a schedule")
axes.set(xlabel="trial", ylabel="time [µs]", yscale="log", title=f"{task['op']} on {target}")
axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4, frameon=False)
figure.savefig(picture, dpi=150)
print(picture)
