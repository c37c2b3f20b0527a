// The rule of every check, by the id that the catalogue gives them.
import type { StateCheck } from './check.ts'
import { access, security } from './rules/access.ts'
import { activityChecks } from './rules/activity.ts'
import { evidenceItself } from './rules/evidence.ts'
import { governance, integrations, models } from './rules/governance.ts'
import { operations } from './rules/operations.ts'
import { privacy } from './rules/privacy.ts'

export const STATE_CHECKS: Readonly<Record<string, StateCheck>> = {
  ...governance,
  ...activityChecks,
  ...evidenceItself,
  ...access,
  ...security,
  ...privacy,
  ...operations,
  ...models,
  ...integrations,
}
