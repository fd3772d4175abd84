// The worker of a helper thread of an agent's team.
import { serveLeader } from './helper_service.ts';

serveLeader();
