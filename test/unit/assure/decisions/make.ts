// Evidence of one tenant, submitted by the owner, and people who may or may not decide on it.
import {
  DEFAULT_SETTINGS,
  findPointer,
  type GovernanceSettings,
} from '../../../../shared/govern/governance/settings.ts'
import { SubmissionBody } from '../../../../shared/assure/submissions/submission-body.ts'
import { submitEvidence } from '../../../../shared/assure/submissions/submit.ts'
import { type Submission, submissions } from '../../../../shared/assure/submissions/submission.ts'
import type { Principal } from '../../../../shared/base/context.ts'
import type { Stored } from '../../../../shared/base/table/entity.ts'
import { governancePointers } from '../../../../shared/base/tenant/tenant.ts'
import { artifacts } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { accountIn, personIn } from '../../../support/person.ts'
import { foundedWorld, SPACE, TABLE, type World } from '../../ledger/evidence/world.ts'

export const DAY = 86_400_000
export const GOOD = { decision: 'accepted', reason: 'It covers all accounts.' } as const
export const BAD = { decision: 'rejected', reason: 'Two accounts are missing.' } as const

export const owner = () => personIn(SPACE, ['owner'])
export const auditor = (over: Partial<Principal> = {}) => personIn(SPACE, ['auditor'], over)
/** A key with the rights of its creator. */
export const keyOf = (creator: string, over: Partial<Principal> = {}) =>
  personIn(SPACE, ['owner'], {
    kind: 'api_key',
    credential: 'api_key',
    id: 'key_1',
    user_id: undefined,
    persons: [creator],
    ...over,
  })

export async function officeWorld(): Promise<World> {
  const it = await foundedWorld()
  for (const role of ['owner', 'admin', 'auditor']) await accountIn(SPACE, [role])
  return it
}

const refs = (controls: readonly string[]) => controls.map((control_id) => ({ framework_id: 'soc2', control_id }))

export function submit(over: object = {}, { controls = ['CC6.3'], by = owner() } = {}): Promise<Stored<Submission>> {
  const body = {
    kind: 'access_review',
    title: 'Access review of the third quarter',
    control_refs: refs(controls),
    source: 'statement',
    statement: 'All accounts were reviewed.',
    ...over,
  }
  return submitEvidence(by, SubmissionBody.parse(body))
}

export async function stored(it: World, id: string): Promise<Stored<Submission>> {
  const found = await it.ctx.table.get(submissions, { ...SPACE, id })
  if (!found) throw new Error(`no ${id}`)
  return found
}

export async function govern({ ctx: { table } }: World, change: Partial<GovernanceSettings>) {
  const was = await findPointer(table, SPACE)
  const settings = JSON.stringify({ ...DEFAULT_SETTINGS, ...change })
  await table.commit([governancePointers.replace({ ...was, policy_set_version: 'sha256:1', settings }, was)])
}

/** The headers of all artifacts about a submission, oldest first. */
export const headersOf = (it: World, id: string) =>
  it.table
    .items(TABLE)
    .filter((item) => item._type?.S === artifacts.name)
    .map((item) => JSON.parse(item.header?.S ?? '{}'))
    .filter(({ subject }) => subject?.id === id)
    .toSorted((a, b) => (a.artifact_id < b.artifact_id ? -1 : 1))
