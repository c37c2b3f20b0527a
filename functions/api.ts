// The HTTP surface: every area's route table.
import type { Route } from '../shared/http/route.ts'
import { agent } from './agent/routes.ts'
import { approvals } from './approvals/routes.ts'
import { docs } from './docs/routes.ts'
import { evidence } from './evidence/routes.ts'
import { health } from './health/routes.ts'
import { protocol } from './protocol/routes.ts'
import { security } from './security/routes.ts'
import { webhooks } from './webhooks/routes.ts'

const areas: Record<string, Route>[] = [agent, approvals, docs, evidence, health, protocol, security, webhooks]

export const routes: Route[] = areas.flatMap((area) => Object.values(area))
