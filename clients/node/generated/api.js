// Generated from schema/openapi.json by clients/generate. Do not edit.
import { Service } from '../src/service.js';

const OPERATIONS = {
  listDevices: { method: 'GET', path: '/devices', query: ['after'], jsonQuery: [], hasBody: false, reply: 'Devices' },
  labelDevice: { method: 'PUT', path: '/devices/{device_id}/label', query: [], jsonQuery: [], hasBody: true, reply: 'DeviceLabelled' },
  manageDevice: { method: 'POST', path: '/devices/{device_id}/actions', query: [], jsonQuery: [], hasBody: true, reply: 'DeviceManaged' },
  showDevice: { method: 'GET', path: '/devices/{device_id}', query: [], jsonQuery: [], hasBody: false, reply: 'DeviceShown' },
  submitJob: { method: 'POST', path: '/jobs', query: [], jsonQuery: [], hasBody: true, reply: 'JobAccepted', events: { job_accepted: 'JobAccepted', job_progress: 'JobProgress', job_done: 'JobDone', job_failed: 'JobFailed', payload: 'Payload', error: 'Problem' } },
  listJobs: { method: 'GET', path: '/jobs', query: ['before'], jsonQuery: [], hasBody: false, reply: 'Jobs' },
  cancelJob: { method: 'POST', path: '/jobs/{job}/cancel', query: [], jsonQuery: [], hasBody: false, reply: 'CancelAccepted' },
  attachJob: { method: 'GET', path: '/jobs/{job}/events', query: [], jsonQuery: [], hasBody: false, events: { job_accepted: 'JobAccepted', job_progress: 'JobProgress', job_done: 'JobDone', job_failed: 'JobFailed', payload: 'Payload', error: 'Problem' } },
  showJob: { method: 'GET', path: '/jobs/{job}', query: [], jsonQuery: [], hasBody: false, reply: 'JobShown' },
  watchFleet: { method: 'GET', path: '/events', query: [], jsonQuery: [], hasBody: false, events: { fleet_watched: 'FleetWatched', device_changed: 'DeviceChanged', job_changed: 'JobChanged', error: 'Problem' } },
  fetchRecords: { method: 'GET', path: '/records', query: ['part', 'tasks', 'device_key', 'job', 'after'], jsonQuery: ['after'], hasBody: false, reply: 'Records' },
  createEnrolment: { method: 'POST', path: '/enrolments', query: [], jsonQuery: [], hasBody: true, reply: 'Enrolment' },
  listTokens: { method: 'GET', path: '/tokens', query: ['after'], jsonQuery: [], hasBody: false, reply: 'Tokens' },
  createToken: { method: 'POST', path: '/tokens', query: [], jsonQuery: [], hasBody: true, reply: 'TokenCreated' },
  revokeToken: { method: 'DELETE', path: '/tokens/{token_id}', query: [], jsonQuery: [], hasBody: false, reply: 'TokenRevoked' },
  rotateToken: { method: 'POST', path: '/tokens/{token_id}/rotate', query: [], jsonQuery: [], hasBody: false, reply: 'TokenCreated' },
};

export class Api extends Service {
  listDevices(asked = {}, options = {}) {
    return this.ask(OPERATIONS.listDevices, asked, options);
  }
  labelDevice(asked = {}, options = {}) {
    return this.ask(OPERATIONS.labelDevice, asked, options);
  }
  manageDevice(asked = {}, options = {}) {
    return this.ask(OPERATIONS.manageDevice, asked, options);
  }
  showDevice(asked = {}, options = {}) {
    return this.ask(OPERATIONS.showDevice, asked, options);
  }
  submitJob(asked = {}, options = {}) {
    return this.open(OPERATIONS.submitJob, asked, options);
  }
  listJobs(asked = {}, options = {}) {
    return this.ask(OPERATIONS.listJobs, asked, options);
  }
  cancelJob(asked = {}, options = {}) {
    return this.ask(OPERATIONS.cancelJob, asked, options);
  }
  attachJob(asked = {}, options = {}) {
    return this.open(OPERATIONS.attachJob, asked, options);
  }
  showJob(asked = {}, options = {}) {
    return this.ask(OPERATIONS.showJob, asked, options);
  }
  watchFleet(asked = {}, options = {}) {
    return this.open(OPERATIONS.watchFleet, asked, options);
  }
  fetchRecords(asked = {}, options = {}) {
    return this.ask(OPERATIONS.fetchRecords, asked, options);
  }
  createEnrolment(asked = {}, options = {}) {
    return this.ask(OPERATIONS.createEnrolment, asked, options);
  }
  listTokens(asked = {}, options = {}) {
    return this.ask(OPERATIONS.listTokens, asked, options);
  }
  createToken(asked = {}, options = {}) {
    return this.ask(OPERATIONS.createToken, asked, options);
  }
  revokeToken(asked = {}, options = {}) {
    return this.ask(OPERATIONS.revokeToken, asked, options);
  }
  rotateToken(asked = {}, options = {}) {
    return this.ask(OPERATIONS.rotateToken, asked, options);
  }
}
