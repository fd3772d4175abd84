// Generated from schema/protocol.json and schema/errors.json by scripts/gen_schema. Do not edit.
#include "schema/generated/rest_routes.h"

#include <string>

namespace hone::protocol {

const std::vector<RestRoute>& rest_routes() {
  static const std::vector<RestRoute> routes{
    {.method = "GET",
     .path = "/devices",
     .kind = "list_devices",
     .query = {{"after", ReadAs::kString}},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "devices",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "PUT",
     .path = "/devices/{device_id}/label",
     .kind = "label_device",
     .query = {},
     .has_body = true,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "device_labelled",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "POST",
     .path = "/devices/{device_id}/actions",
     .kind = "manage_device",
     .query = {},
     .has_body = true,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "device_managed",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "GET",
     .path = "/devices/{device_id}",
     .kind = "show_device",
     .query = {},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "device_shown",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "POST",
     .path = "/jobs",
     .kind = "submit_job",
     .query = {},
     .has_body = true,
     .has_payload = true,
     .bytes_max = 2147483648,
     .reply = "job_accepted",
     .events = {"job_progress"},
     .ends = {"job_done", "job_failed"},
     .plain_if = "detached"},
    {.method = "POST",
     .path = "/jobs/{job}/cancel",
     .kind = "cancel_job",
     .query = {},
     .has_body = true,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "cancel_accepted",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "GET",
     .path = "/jobs/{job}/events",
     .kind = "attach_job",
     .query = {},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "job_accepted",
     .events = {"job_progress"},
     .ends = {"job_done", "job_failed"},
     .plain_if = ""},
    {.method = "GET",
     .path = "/jobs",
     .kind = "list_jobs",
     .query = {{"before", ReadAs::kNumber}},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "jobs",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "GET",
     .path = "/jobs/{job}",
     .kind = "show_job",
     .query = {},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "job_shown",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "GET",
     .path = "/events",
     .kind = "watch_fleet",
     .query = {},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "fleet_watched",
     .events = {"device_changed", "job_changed"},
     .ends = {},
     .plain_if = ""},
    {.method = "GET",
     .path = "/records",
     .kind = "fetch_records",
     .query = {{"part", ReadAs::kString}, {"tasks", ReadAs::kStrings}, {"device_key", ReadAs::kString}, {"job", ReadAs::kString}, {"after", ReadAs::kJson}},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 65536,
     .reply = "records",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "POST",
     .path = "/enrolments",
     .kind = "create_enrolment",
     .query = {},
     .has_body = true,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "enrolment",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "GET",
     .path = "/tokens",
     .kind = "list_tokens",
     .query = {{"after", ReadAs::kString}},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "tokens",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "POST",
     .path = "/tokens",
     .kind = "create_token",
     .query = {},
     .has_body = true,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "token_created",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "DELETE",
     .path = "/tokens/{token_id}",
     .kind = "revoke_token",
     .query = {},
     .has_body = false,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "token_revoked",
     .events = {},
     .ends = {},
     .plain_if = ""},
    {.method = "POST",
     .path = "/tokens/{token_id}/rotate",
     .kind = "rotate_token",
     .query = {},
     .has_body = true,
     .has_payload = false,
     .bytes_max = 4096,
     .reply = "token_created",
     .events = {},
     .ends = {},
     .plain_if = ""},
  };
  return routes;
}

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOutOfMemory: return 503;
    case ErrorCode::kTimeout: return 504;
    case ErrorCode::kInvalidArgument: return 400;
    case ErrorCode::kParseError: return 400;
    case ErrorCode::kBadModel: return 422;
    case ErrorCode::kUnsupported: return 422;
    case ErrorCode::kLimitExceeded: return 429;
    case ErrorCode::kNotFound: return 404;
    case ErrorCode::kDiskFull: return 507;
    case ErrorCode::kUnauthorized: return 403;
    case ErrorCode::kProtocolError: return 400;
    case ErrorCode::kNoDevice: return 503;
    case ErrorCode::kStaleFence: return 409;
    case ErrorCode::kCancelled: return 409;
    case ErrorCode::kBusy: return 503;
    case ErrorCode::kVersionMismatch: return 400;
    default: return 500;
  }
}

std::string_view openapi_text() {
  static const std::string text = [] {
    std::string whole;
    for (const char* piece : {
R"openapi({"openapi":"3.1.0","info":{"title":"hone","version":"4","license":{"name":"Apache-2.0","identifier":"Apache-2.0"},"description":"A farm of devices that run and tune kernels. Each request is one message of the protocol hone.v1, and is judged as that is."},"servers":[{"url":"/api/v1"}],"security":[{"bearer":[]}],"paths":{"/devices":{"get":{"operationId":"listDevices","summary":"Asks for the fleet, page by page.","parameters":[{"name":"after","in":"query","required":false,"description":"The last device_id of the page before; absent for the first one.","schema":{"type":"string","maxLength":64}}],"responses":{"200":{"description":"A page of the fleet.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Devices"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/devices/{device_id}/label":{"put":{"operationId":"labelDevice","summary":"Gives a device a name.","parameters":[{"name":"device_id","in":"path","required":true,"description":"The device.","schema":{"type":"string","maxLength":64}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","description":"The message.","properties":{"label":{"type":"string","maxLength":64,"description":"Its name; empty: none."},"user":{"type":"string","maxLength":256,"description":"Who does it, where a compile server passes it on."}},"required":["label"]}}}},"responses":{"200":{"description":"It has the name.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/DeviceLabelled"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`, `invalid_argument`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/devices/{device_id}/actions":{"post":{"operationId":"manageDevice","summary":"Takes a device out of service, or back, or forgets it. All but forgetting holds for each id by which the same physical device is known.","parameters":[{"name":"device_id","in":"path","required":true,"description":"The device.","schema":{"type":"string","maxLength":64}}],"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","description":"The message.","properties":{"action":{"$ref":"#/components/schemas/DeviceAction","description":"What to do."},"reason":{"type":"string","maxLength":256,"description":"Why, for people; may be empty. Of drain and quarantine."},"user":{"type":"string","maxLength":256,"description":"As of label_device."}},"required":["action","reason"]}}}},"responses":{"200":{"description":"It is done, and on disk.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/DeviceManaged"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`, `invalid_argument`, `busy`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/devices/{device_id}":{"get":{"operationId":"showDevice","summary":"Asks for a device and its history.","parameters":[{"name":"device_id","in":"path","required":true,"description":"The device.","schema":{"type":"string","maxLength":64}}],"responses":{"200":{"description":"A device and what happened to it.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/DeviceShown"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`, `busy`, `io_error`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/jobs":{"post":{"operationId":"submitJob","summary":"Starts a job. After job_accepted come job_progress frames, then job_done or job_failed.","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","description":"The message.","properties":{"job":{"$ref":"#/components/schemas/JobRequest","description":"What to do."},"detached":{"type":"boolean","description":"True, of a tune: the job is queued with its model, does not end with its client, and goes on after a restart of the service; nothing comes after job_accepted, but attach_job follows it. False when absent."}},"required":["job"]}},"multipart/form-data":{"schema":{"type":"object","properties":{"ask":{"type":"object","description":"The message.","properties":{"job":{"$ref":"#/components/schemas/JobRequest","description":"What to do."},"detached":{"type":"boolean","description":"True, of a tune: the job is queued with its model, does not end with its client, and goes on after a restart of the service; nothing comes after job_accepted, but attach_job follows it. False when absent."}},"required":["job"]},"payload":{"description":"Bytes: the ONNX model, when source.model_name is there; of a job that runs it, the input tensors behind it, as job.options says."}},"required":["ask"]},"encoding":{"ask":{"contentType":"application/json"},"payload":{"contentType":"application/octet-stream"}}}}},"responses":{"200":{"description":"The job is stored.","content":{"text/event-stream":{"schema":{"type":"string","description":"Server-sent events; the data of each is JSON, of the schema that x-hone-events says: job_accepted, job_progress, job_done, job_failed, payload, error. Comments keep a quiet stream alive."},"x-hone-events":{"job_accepted":{"$ref":"#/components/schemas/JobAccepted"},"job_progress":{"$ref":"#/components/schemas/JobProgress"},"job_done":{"$ref":"#/components/schemas/JobDone"},"job_failed":{"$ref":"#/components/schemas/JobFailed"},"payload":{"$ref":"#/components/schemas/Payload"},"error":{"$ref":"#/components/schemas/Problem"}}},"application/json":{"schema":{"$ref":"#/components/schemas/JobAccepted"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `invalid_argument`, `bad_model`, `unsupported`, `busy`, `limit_exceeded`, `disk_full`, `io_error`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}},"get":{"operationId":"listJobs","summary":"Asks for the jobs of the client's user, or for everybody's where an admin asks, page by page, one page at a time.","parameters":[{"name":"before","in":"query","required":false,"description":"The `next` of the page before; absent for the first one.","schema":{"type":"integer","minimum":0,"maximum":9007199254740991}}],"responses":{"200":{"description":"A page of the jobs.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Jobs"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `busy`, `io_error`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/jobs/{job}/cancel":{"post":{"operationId":"cancelJob","summary":"Stops a job of the client's user, or of anybody where an admin asks: who submitted it or follows it hears its end. It ends with job_failed and the code cancelled, or, where a search has begun, with job_done and what is known by then.","parameters":[{"name":"job","in":"path","required":true,"description":"The job.","schema":{"type":"string","maxLength":256}}],"responses":{"200":{"description":"The job is told to end. Its end is told to whoever submitted or follows it.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/CancelAccepted"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/jobs/{job}/events":{"get":{"operationId":"attachJob","summary":"Follows a job of the client's user, or of anybody where an admin asks. After job_accepted come job_progress frames, as many as the client reads, then job_done or job_failed; of a job that has ended, that at once. The job does not end with this client.","parameters":[{"name":"job","in":"path","required":true,"description":"The job.","schema":{"type":"string","maxLength":256}}],"responses":{"200":{"description":"The job is stored.","content":{"text/event-stream":{"schema":{"type":"string","description":"Server-sent events; the data of each is JSON, of the schema that x-hone-events says: job_accepted, job_progress, job_done, job_failed, payload, error. Comments keep a quiet stream alive."},"x-hone-events":{"job_accepted":{"$ref":"#/components/schemas/JobAccepted"},"job_progress":{"$ref":"#/components/schemas/JobProgress"},"job_done":{"$ref":"#/components/schemas/JobDone"},"job_failed":{"$ref":"#/components/schemas/JobFailed"},"payload":{"$ref":"#/components/schemas/Payload"},"error":{"$ref":"#/components/schemas/Problem"}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`, `limit_exceeded`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/jobs/{job}":{"get":{"operationId":"showJob","summary":"Asks for a job of the client's user, or of anybody where an admin asks.","parameters":[{"name":"job","in":"path","required":true,"description":"The job.","schema":{"type":"string","maxLength":256}}],"responses":{"200":{"description":"A job.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/JobShown"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`, `io_error`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/events":{"get":{"operationId":"watchFleet","summary":"Asks to be told, from now on, what happens to devices and to the jobs of the client's user, or to everybody's where an admin asks. A client that reads slowly is told less.","responses":{"200":{"description":"From here on everything is told.","content":{"text/event-stream":{"schema":{"type":"string","description":"Server-sent events; the data of each is JSON, of the schema that x-hone-events says: fleet_watched, device_changed, job_changed, error. Comments keep a quiet stream alive."},"x-hone-events":{"fleet_watched":{"$ref":"#/components/schemas/FleetWatched"},"device_changed":{"$ref":"#/components/schemas/DeviceChanged"},"job_changed":{"$ref":"#/components/schemas/JobChanged"},"error":{"$ref":"#/components/schemas/Problem"}}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `invalid_argument`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/records":{"get":{"operationId":"fetchRecords","summary":"Asks for records, page by page, one page at a time. tasks, device_key and job say which attempts; without them, all.","parameters":[{"name":"part","in":"query","required":true,"description":"Which lines.","schema":{"$ref":"#/components/schemas/RecordPart"}},{"name":"tasks","in":"query","required":false,"description":"Ids of tasks, 32 hexadecimal digits each.","schema":{"type":"array","items":{"type":"string","maxLength":32},"maxItems":1024}},{"name":"device_key","in":"query","required":false,"description":"A class of devices.","schema":{"type":"string","maxLength":4096}},{"name":"job","in":"query","required":false,"description":"What this job measured, and with it what others did of the same tasks on the same device key, so that times can be judged beside each other.","schema":{"type":"string","maxLength":4096}},{"name":"after","in":"query","required":false,"description":"The place that the page before said; absent for the first one.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/RecordPlace"}}}}],"responses":{"200":{"description":"A page of the records.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Records"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `busy`, `io_error`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/enrolments":{"post":{"operationId":"createEnrolment","summary":"Asks for a code that lets one agent in, once.","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","description":"The message.","properties":{"name":{"type":"string","maxLength":64,"description":"The name of the token that the code is exchanged for, for people; may be empty."}},"required":["name"]}}}},"responses":{"200":{"description":"The code.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Enrolment"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `invalid_argument`, `limit_exceeded`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/tokens":{"get":{"operationId":"listTokens","summary":"Asks for the tokens, page by page.","parameters":[{"name":"after","in":"query","required":false,"description":"The last token_id of the page before; absent for the first one.","schema":{"type":"string","maxLength":64}}],"responses":{"200":{"description":"A page of the tokens.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Tokens"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}},"post":{"operationId":"createToken","summary":"Makes a token.","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","description":"The message.","properties":{"role":{"$ref":"#/components/schemas/Role","description":"What it lets its holder do."},"name":{"type":"string","maxLength":64,"description":"As of token_info; a submitter has one."},"lifetime_s":{"type":"number","minimum":0,"maximum":315360000,"description":"How long it is good for; 0: until it is revoked. [s]"},"quota":{"$ref":"#/components/schemas/Quota","description":"What its holder may have at once; absent: as much as there is."}},"required":["role","name","lifetime_s"]}}}},"responses":{"200":{"description":"The token, on disk. The service keeps its hash alone: nobody is told it again.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/TokenCreated"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `invalid_argument`, `limit_exceeded`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/tokens/{token_id}":{"delete":{"operationId":"revokeToken","summary":"Takes a token back: who is connected with it is closed, with the code 4003.","parameters":[{"name":"token_id","in":"path","required":true,"description":"As of token_info.","schema":{"type":"string","maxLength":64}}],"responses":{"200":{"description":"It lets nobody in any more.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/TokenRevoked"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`, `invalid_argument`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}},"/tokens/{token_id}/rotate":{"post":{"operationId":"rotateToken","summary":"Gives a token's id, role and name another secret; the earlier one ends as by revoke_token.","parameters":[{"name":"token_id","in":"path","required":true,"description":"As of token_info.","schema":{"type":"string","maxLength":64}}],"responses":{"200":{"description":"The token, on disk. The service keeps its hash alone: nobody is told it again.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/TokenCreated"}}}},"401":{"$ref":"#/components/responses/Unauthorized"},"default":{"description":"Refused. Codes: `not_found`, `invalid_argument`.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}}},"components":{"securitySchemes":{"bearer":{"type":"http","scheme":"bearer","description":"A token of the service: hone tokens create."}},"responses":{"Unauthorized":{"description":"The token is missing, unknown, revoked or expired.","headers":{"WWW-Authenticate":{"schema":)openapi",
R"openapi({"type":"string"}}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}},"schemas":{"Outcome":{"type":"string","enum":["ok","compile_error","validation_error","out_of_memory","device_lost","timeout","wrong_output","not_written","agent_gone","unstable","invalid_argument","parse_error","bad_model","unsupported","illegal_schedule","limit_exceeded","not_found","io_error","disk_full","address_in_use","unauthorized","protocol_error","no_device","stale_fence","cancelled","busy","version_mismatch","bad_certificate","internal"],"description":"A code of schema/errors.json."},"Payload":{"type":"object","description":"A piece of the job's payload, in order, before its end is told.","properties":{"offset":{"type":"integer","minimum":0,"description":"Where it begins. [bytes]"},"base64":{"type":"string","contentEncoding":"base64","description":"The bytes."}},"required":["offset","base64"]},"Problem":{"type":"object","description":"Why there is no other reply.","properties":{"code":{"$ref":"#/components/schemas/Outcome"},"message":{"type":"string","description":"One clear sentence."}},"required":["code","message"]},"DeviceStateKind":{"type":"string","enum":["ready","lost","recovering","gone","stuck"],"description":"What a device can do now."},"ServiceState":{"type":"string","enum":["idle","leased","draining","maintenance","quarantined"],"description":"What people let a device do, and whether a job uses it. Kept over restarts."},"DeviceAction":{"type":"string","enum":["drain","quarantine","resume","forget"],"description":"What an admin does with a device."},"DeviceEventKind":{"type":"string","enum":["connected","gone","stuck","lost","leased","lease_ended","labelled","drained","quarantined","resumed"],"description":"What happened to a device."},"JobKind":{"type":"string","enum":["tune","bench","run","verify","compare","compare_builds"],"description":"What a job does."},"JobPhase":{"type":"string","enum":["queued","preparing","waiting_for_device","measuring","finishing"],"description":"Where a job is."},"JobState":{"type":"string","enum":["queued","running","done","failed","cancelled","lost"],"description":"How far a job has come. Kept over restarts."},"Role":{"type":"string","enum":["agent","submitter","admin","server"],"description":"What a token lets its holder do."},"RecordPart":{"type":"string","enum":["tasks","devices","jobs","attempts"],"description":"What a line of the records says."},"RecordPlace":{"type":"object","description":"A place among the records. What is recorded meanwhile comes behind it.","properties":{"row":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"Of attempts the number of the trial; of the other parts how many lines came before."},"attempt":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Of attempts the attempt's number; else 0."}},"required":["row","attempt"]},"Fingerprint":{"type":"object","description":"What the agent observed of a device. What of it the speed of a kernel depends on, and does not change by itself, makes the device key (schema/device_key.h).","properties":{"target":{"type":"string","maxLength":32,"description":"The kind of kernels it runs: webgpu, webgl, wasm, native, opengl or opencl."},"vendor":{"type":"string","maxLength":256,"description":"The adapter's vendor, as the browser names it."},"architecture":{"type":"string","maxLength":256,"description":"The adapter's architecture, as the browser names it."},"device":{"type":"string","maxLength":256,"description":"The adapter's device id, as the browser names it."},"description":{"type":"string","maxLength":1024,"description":"The adapter's description, for people; no part of the device key."},"backend":{"type":"string","maxLength":256,"description":"The graphics interface below the browser's one (vulkan, metal, d3d12), or empty when unknown."},"browser":{"type":"string","maxLength":64,"description":"The browser or process in lower case: chromium, firefox, safari, node, native."},"browser_major":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The browser's major version."},"os":{"type":"string","maxLength":64,"description":"The operating system in lower case."},"features":{"type":"array","items":{"type":"string","maxLength":128},"maxItems":256,"description":"The features that can be asked for; order does not matter."},"limits":{"type":"object","additionalProperties":{"type":"number"},"maxProperties":256,"description":"The device's limits by their names in the API, e.g. maxComputeInvocationsPerWorkgroup."},"launch_us":{"type":"number","description":"What one launch more costs a run, whatever it computes, as measured; no part of the device key. [us]"},"driver":{"type":"string","maxLength":256,"description":"The driver's version, where anything says it; no part of the device key."},"arithmetic_gflops":{"type":"number","description":"What a kernel of multiplications and additions alone reaches, as measured; no part of the device key. [GFLOP/s]"},"memory_gb_s":{"type":"number","description":"How fast it reads what lies in no cache, as measured; no part of the device key. [GB/s]"},"last_level_cache_bytes":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"Up to which working set its reads are faster than its memory, as measured, a power of 2; absent where no such size was found; no part of the device key. [bytes]"}},"required":["target","vendor","architecture","device","description","backend","browser","browser_major","os","features","limits"]},"Timer":{"type":"object","description":"How a device tells time.","properties":{"method":{"type":"string","maxLength":64,"description":"timestamp, slope or clock."},"quantum_ns":{"type":"number","description":"The smallest step of its clock, as measured. [ns]"}},"required":["method","quantum_ns"]},"LeaseInfo":{"type":"object","description":"A lease, as people see it.","properties":{"lease_id":{"type":"string","maxLength":64,"description":"The lease."},"fence":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"Its fence."},"job":{"type":"string","maxLength":256,"description":"The job that holds it."},"user":{"type":"string","maxLength":256,"description":"The person behind the job."},"expires_in_ms":{"type":"number","description":"When it ends unless a heartbeat renews it. [ms]"}},"required":["lease_id","fence","job","user","expires_in_ms"]},"DeviceInfo":{"type":"object","description":"A device of the fleet.","properties":{"device_id":{"type":"string","maxLength":64,"description":"This one device."},"device_key":{"type":"string","maxLength":64,"description":"The class of equal devices."},"kind":{"type":"string","maxLength":128,"description":"Browser and target: chromium-webgpu."},"agent_id":{"type":"string","maxLength":64,"description":"The agent that brings it."},"agent_name":{"type":"string","maxLength":256,"description":"That agent's name, for people."},"state":{"$ref":"#/components/schemas/DeviceStateKind","description":"What it can do now."},"message":{"type":"string","maxLength":4096,"description":"Why, in one sentence; may be empty."},"visible":{"type":"boolean","description":"False while its tab is hidden: timed work would be unstable."},"fingerprint":{"$ref":"#/components/schemas/Fingerprint","description":"What its agent observed."},"timer":{"$ref":"#/components/schemas/Timer","description":"How it tells time."},"lease":{"$ref":"#/components/schemas/LeaseInfo","description":"Who uses it; absent when free."},"seen_ago_ms":{"type":"number","description":"Time since its agent's last heartbeat. [ms]"},"physical_id":{"type":"string","maxLength":64,"description":"The id that its agent keeps; absent where it keeps none."},"label":{"type":"string","maxLength":64,"description":"What people call it."},"service_state":{"$ref":"#/components/schemas/ServiceState","description":"What people let it do, and whether a job uses it."},"service_reason":{"type":"string","maxLength":256,"description":"Why it was drained or quarantined, as somebody said; absent where nobody did."}},"required":["device_id","device_key","kind","agent_id","agent_name","state","message","visible","fingerprint","timer","seen_ago_ms","service_state"]},"DeviceEvent":{"type":"object","description":"One thing that happened to a device.","properties":{"unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When, by the service's clock. [ms]"},"device_id":{"type":"string","maxLength":64,"description":"To which: one physical device may have been known by several ids."},"kind":{"$ref":"#/components/schemas/DeviceEventKind","description":"What."},"user":{"type":"string","maxLength":256,"description":"Who did it, or for whom; empty: nobody."},"text":{"type":"string","maxLength":4096,"description":"The job, the name or the reason; may be empty."}},"required":["unix_ms","device_id","kind","user","text"]},"Quota":{"type":"object","description":"What the holder of a token may have at once; 0: as much as there is.","properties":{"devices_max":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"Devices leased to its user's jobs. Further jobs wait."},"jobs_max":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"Jobs of its user that have not ended. Further ones are refused."},"bytes_max":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"Payloads of these jobs, together. What goes beyond is refused. [B]"}},"required":["devices_max","jobs_max","bytes_max"]},"TokenInfo":{"type":"object","description":"A token, as lists show it: nothing in it lets anybody in.","properties":{"token_id":{"type":"string","maxLength":64,"description":"Its name in lists and in requests. Everybody may know it."},"role":{"$ref":"#/components/schemas/Role","description":"What it lets its holder do."},"name":{"type":"string","maxLength":64,"description":"Of a submitter or an admin the user that fairness counts; of an agent for people. Empty: nobody gave it one."},"created_unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When it was made. [ms]"},"expires_unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When it ends by itself; 0: never. That of an enrolled agent moves on as the token is used. [ms]"},"revoked_unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When it was taken back; 0: it was not. [ms]"},"used_unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When it was last shown, to the hour; 0: never. [ms]"},"quota":{"$ref":"#/components/schemas/Quota","description":"What its holder may have at once; absent: as much as there is."}},"required":["token_id","role","name","created_unix_ms","expires_unix_ms","revoked_unix_ms","used_unix_ms"]},"JobSource":{"type":"object","description":"What a job works on: exactly one of op and model_name.","properties":{"op":{"type":"string","maxLength":4096,"description":"An operator in ONNX's terms, e.g. name:512x512x512."},"model_name":{"type":"string","maxLength":4096,"description":"The name of the ONNX model whose bytes are the frame's payload."},"package":{"type":"boolean","description":"The payload is no ONNX model but an exported package, as an archive (package_archive); of runs and benches. False when absent."}}},"JobInfo":{"type":"object","description":"A job, as lists show it.","properties":{"job":{"type":"string","maxLength":256,"description":"Its id."},"job_kind":{"$ref":"#/components/schemas/JobKind","description":"What it does."},"user":{"type":"string","maxLength":256,"description":"Whose it is."},"state":{"$ref":"#/components/schemas/JobState","description":"How far it has come."},"outcome":{"$ref":"#/components/schemas/Outcome","description":"How it ended; absent while it has not."},"message":{"type":"string","maxLength":4096,"description":"Why it ended so, in one sentence; empty where it ended well or has not."},"source":{"type":"string","maxLength":512,"description":"The operator or the model's name, for people."},"target":{"type":"string","maxLength":32,"description":"The kind of kernels."},"priority":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991,"description":"Greater is served first."},"detached":{"type":"boolean","description":"It does not end with its client, and goes on after a restart of the service."},"starts":{"type":"integer","minimum":0,"maximum":4294967295,"description":"How often it was begun and neither ended nor put back by a service that stopped."},"submitted_unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When it was stored. [ms]"},"started_unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When it began last; 0: it has not. [ms]"},"ended_unix_ms":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"When it ended; 0: it has not. [ms]"}},"required":["job","job_kind","user","state","message","source","target","priority","detached","starts","submitted_unix_ms","started_unix_ms","ended_unix_ms"]},"JobRequest":{"type":"object","description":"What a person asks for.","properties":{"kind":{"$ref":"#/components/schemas/JobKind","description":"What the job does."},"source":{"$ref":"#/components/schemas/JobSource","description":"What it works on."},"dims":{"type":"object","additionalProperties":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991},"maxProperties":64,"description":"Values of the model's symbolic dimensions."},"target":{"type":"string","maxLength":32,"description":"The kind of kernels."},"selector":{"type":"string","maxLength":1024,"description":"A device id, a kind or a capability expression; empty means any device of the target."},"trials":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Trials per task; 0 means the default."},"time_s":{"type":"number","minimum":0,"maximum":31536000,"description":"The most wall time of the job, the wait for its device left out; 0 means no limit. [s]"},"seed":{"type":"string","pattern":"^[0-9a-f]{16}$","description":"The seed of the search."},"priority":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991,"description":"Greater is served first; 0 when absent. Above 0 only of an admin: of others it counts as 0."},"device_wait_s":{"type":"number","minimum":0,"maximum":31536000,"description":"How long to wait for a matching device; the service's default when absent. [s]"},"options":{"description":"Further options of the kind, an object: tune_options of a tune, run_options of a run or bench, compare_options of a compare, compare_builds_options of a compare_builds."},"tolerance":{"type":"number","minimum":0,"maximum":1,"description":"The greatest error that kernels may have, as prepare_task's tolerance bounds it; absent: 1e-5 + 1e-6·√K of the longest reduction K. Greater ones permit narrower storage."},"devices":{"type":"integer","minimum":0,"maximum":4294967295,"description":"The most devices of one class that a tune uses side by side; 1 when absent."},"time_spent_s":{"type":"number","minimum":0,"maximum":31536000,"description":"What of time_s was used before the job was sent; 0 when absent. [s]"},"without_passes":{"type":"array","items":{"type":"string","maxLength":64},"maxItems":16,"description":"Passes over the model's graph that are left out, by name; none when absent."},"devices_min":{"type":"integer","minimum":0,"maximum":4294967295,"description":"So many devices of one class, all at once, with which a tune begins; 1 when absent. Until they are free together it takes none."}},"required":["kind","source","dims","target","selector","trials","time_s","seed"]},"Devices":{"type":"object","description":"A page of the fleet.","properties":{"devices":{"type":"array","items":{"$ref":"#/components/schemas/DeviceInfo"},"maxItems":1024,"description":"Known devices, ordered by id."},"more":{"type":"boolean","description":"True: there are further ones. Absent: fals)openapi",
R"openapi(e."}},"required":["devices"]},"DeviceLabelled":{"type":"object","description":"It has the name.","properties":{"physical_id":{"type":"string","maxLength":64,"description":"The id of the device itself; absent where it has none."}}},"DeviceManaged":{"type":"object","description":"It is done, and on disk.","properties":{"service_state":{"$ref":"#/components/schemas/ServiceState","description":"What it is now; absent: forgotten."}}},"DeviceShown":{"type":"object","description":"A device and what happened to it.","properties":{"device":{"$ref":"#/components/schemas/DeviceInfo","description":"The device."},"leases":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"How often it was leased under this id."},"events":{"type":"array","items":{"$ref":"#/components/schemas/DeviceEvent"},"maxItems":1024,"description":"The latest, oldest first, those of the same physical device under its other ids among them."}},"required":["device","leases","events"]},"JobAccepted":{"type":"object","description":"The job is stored.","properties":{"job":{"type":"string","maxLength":256,"description":"Its id."}},"required":["job"]},"JobProgress":{"type":"object","description":"Where a job is; a newer one replaces an older one.","properties":{"job":{"type":"string","maxLength":256,"description":"The job."},"phase":{"$ref":"#/components/schemas/JobPhase","description":"Where it is."},"task":{"type":"string","maxLength":512,"description":"The task in work, for people; may be empty."},"tasks_done":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Tasks that have a time."},"tasks_total":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Distinct tasks of the job."},"trials_done":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Trials with a record."},"trials_total":{"type":"integer","minimum":0,"maximum":4294967295,"description":"Trials planned."},"best_us":{"type":"number","description":"The best time of the task in work; 0 when none. [us]"},"trials_per_second":{"type":"number","description":"The rate of late. [1/s]"},"left_s":{"type":"number","description":"The estimated time left; 0 when unknown. [s]"},"message":{"type":"string","maxLength":4096,"description":"One sentence, e.g. what it waits for; may be empty."},"naive_us":{"type":"number","description":"The yardstick's time of the task in work; absent when none. [us]"},"measured_us":{"type":"number","description":"The time of the last trial; absent when it has none. [us]"},"predicted_us":{"type":"number","description":"What the search's model expected of the last trial; absent when nothing. [us]"},"errors":{"type":"object","additionalProperties":{"type":"integer","minimum":0,"maximum":4294967295},"maxProperties":64,"description":"How many candidates of this run have no time, by outcome."},"waits_for":{"type":"string","maxLength":512,"description":"What has kept the job silent, for people; absent when something came."},"waited_s":{"type":"number","description":"For how long it has been silent. [s]"}},"required":["job","phase","task","tasks_done","tasks_total","trials_done","trials_total","best_us","trials_per_second","left_s","message"]},"JobDone":{"type":"object","description":"The job ended well.","properties":{"job":{"type":"string","maxLength":256,"description":"The job."},"result":{"description":"Its result, an object whose form follows from the job's kind."}},"required":["job","result"]},"JobFailed":{"type":"object","description":"The job ended otherwise. Records made until then are kept.","properties":{"job":{"type":"string","maxLength":256,"description":"The job."},"code":{"$ref":"#/components/schemas/Outcome","description":"Why."},"message":{"type":"string","maxLength":16384,"description":"Why, in one clear sentence."}},"required":["job","code","message"]},"CancelAccepted":{"type":"object","description":"The job is told to end. Its end is told to whoever submitted or follows it.","properties":{}},"Jobs":{"type":"object","description":"A page of the jobs.","properties":{"jobs":{"type":"array","items":{"$ref":"#/components/schemas/JobInfo"},"maxItems":256,"description":"The latest first."},"next":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"Where the next page begins; absent: this is the last one."}},"required":["jobs"]},"JobShown":{"type":"object","description":"A job.","properties":{"job":{"$ref":"#/components/schemas/JobInfo","description":"The job."},"result":{"description":"Of a job that ended well: its result, an object whose form follows from the job's kind; absent where it is not kept."}},"required":["job"]},"FleetWatched":{"type":"object","description":"From here on everything is told.","properties":{}},"DeviceChanged":{"type":"object","description":"Something happened to a device. It is on disk.","properties":{"event":{"$ref":"#/components/schemas/DeviceEvent","description":"What happened."}},"required":["event"]},"JobChanged":{"type":"object","description":"A job has another state. It is on disk.","properties":{"job":{"$ref":"#/components/schemas/JobInfo","description":"The job."}},"required":["job"]},"Records":{"type":"object","description":"A page of the records.","properties":{"next":{"$ref":"#/components/schemas/RecordPlace","description":"Behind which place the next page begins; absent: this is the last one."},"left_out":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"How many records the service knows of that are damaged, or too long for a line; they are in no page."},"lines":{"type":"array","items":{"type":"object"},"description":"The records."}},"required":["left_out","lines"]},"Enrolment":{"type":"object","description":"The code.","properties":{"code":{"type":"string","maxLength":64,"description":"32 hexadecimal digits, for the fragment of the page's URL."},"lifetime_ms":{"type":"number","description":"How long it is good for, unless the service is started anew before. [ms]"}},"required":["code","lifetime_ms"]},"Tokens":{"type":"object","description":"A page of the tokens.","properties":{"tokens":{"type":"array","items":{"$ref":"#/components/schemas/TokenInfo"},"maxItems":1024,"description":"Known tokens, ordered by id, those among them that ended."},"more":{"type":"boolean","description":"True: there are further ones."}},"required":["tokens","more"]},"TokenCreated":{"type":"object","description":"The token, on disk. The service keeps its hash alone: nobody is told it again.","properties":{"info":{"$ref":"#/components/schemas/TokenInfo","description":"What lists show of it."},"token":{"type":"string","maxLength":128,"description":"What lets in, 32 hexadecimal digits."}},"required":["info","token"]},"TokenRevoked":{"type":"object","description":"It lets nobody in any more.","properties":{}}}}})openapi"})
      whole += piece;
    return whole;
  }();
  return text;
}

}  // namespace hone::protocol
