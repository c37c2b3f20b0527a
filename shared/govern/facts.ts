import type { FactSources } from '../base/ports/facts.ts'
import { sla_approvals } from './approvals/facts.ts'
import { actions, nodes, policies } from './policies/facts.ts'
import { tasks } from './tasks/facts.ts'
import { governance } from './tenants/facts.ts'

export const governFacts = { actions, governance, nodes, policies, sla_approvals, tasks } satisfies Partial<FactSources>
