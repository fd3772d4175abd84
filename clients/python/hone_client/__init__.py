"""Asks a hone service for devices, jobs, records and events. docs/clients.md of hone is the reference."""
from hone_client.client import Client
from hone_client.errors import BrokenReplyError, HoneError, JobError, RefusedError, TimedOutError, UnreachableError
from hone_client.fleet import FleetEvent, FleetEvents
from hone_client.generated import messages
from hone_client.generated.messages import DeviceChanged, DeviceInfo, JobChanged, JobInfo, JobProgress, Quota
from hone_client.jobs import Job
from hone_client.requests import Bench, Compare, Model, Operator, Request, Run, Tune
from hone_client.tensors import Input, Output

__all__ = [
    "Bench", "BrokenReplyError", "Client", "Compare", "DeviceChanged", "DeviceInfo", "FleetEvent", "FleetEvents", "HoneError", "Input", "Job", "JobChanged", "JobError", "JobInfo",
    "JobProgress", "Model", "Operator", "Output", "Quota", "RefusedError", "Request", "Run", "TimedOutError", "Tune", "UnreachableError", "messages",
]
