// The header is the artifact: its canonical text is hashed, stored, exported and shown. It holds ids, codes and hashes only,
// so nothing in it ever has to be erased. Absent members are left out, never null.
import * as z from 'zod'
import { ARTIFACT_TYPES } from '../../../base/catalog/artifact-types.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Instant = z.iso.datetime({ precision: 3 })

export const Header = z.strictObject({
  v: z.literal(1),
  artifact_id: z.string().describe('Id of the artifact.'),
  chain: z.string(),
  type: z.enum(ARTIFACT_TYPES).describe('The type of the artifact.'),
  occurred_at: Instant.describe('When it happened.'),
  /** The execution that the artifact is about. */
  request_id: z.string().optional().describe('Id of the request, also in `X-Request-Id`.'),
  /** The resource that the artifact is about, if it is no execution. */
  subject: z
    .strictObject({
      type: z.string().describe('The type of the resource.'),
      id: z.string().describe('Id of the resource.'),
    })
    .optional()
    .describe('What the artifact is about.'),
  trace_id: z.string().optional(),
  correlation_id: z.string().optional(),
  actor: z
    .strictObject({
      kind: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller.'),
  agent_id: z.string().optional(),
  /** The person who created the key. */
  creator: z.string().optional(),
  /** Pseudonym of the data subject. */
  subject_ref: z.string().optional(),
  node_id: z.string().optional().describe('Id of the node.'),
  action_id: z.string().optional().describe('Id of the action in its manifest.'),
  /** Of the manifest. */
  version: z.string().optional(),
  decision_contract_id: z.int().optional(),
  decision: z
    .strictObject({
      tier: z.enum(['AUTO', 'SOFT', 'HARD']),
      kind: z.string(),
      risk: z.number(),
      strategy: z.string(),
      reasons: z.array(z.string()),
      policy_set_version: Hash,
    })
    .optional(),
  /** Only results other than `pass`; `policies_passed` counts the others. */
  policy_evaluations: z.array(z.strictObject({ policy_id: z.string(), result: z.string() })).optional(),
  policies_passed: z.int().optional(),
  approval: z
    .strictObject({
      id: z.string(),
      action_digest: Hash,
      stage: z.int(),
      decision: z.string().optional(),
      approvers: z.array(
        z.strictObject({ id: z.string(), on_behalf_of: z.string().optional(), self: z.boolean().optional() }),
      ),
      method: z.string().optional(),
      superseded_by: z.string().optional(),
      /** Commits to the approval's state at that time: votes, reasons, times. */
      state: Hash.optional(),
    })
    .optional(),
  outcome: z.enum(['succeeded', 'failed', 'unknown', 'undone']).optional().describe('How the action ended.'),
  error_code: z.string().optional(),
  latency_ms: z.number().optional(),
  retries: z.int().optional(),
  payload_commitment: Hash.optional(),
  result_commitment: Hash.optional(),
  /** Small facts: versions, hashes, names of changed fields; never values that may be personal. */
  data: z.record(z.string(), z.json()).optional(),
})
export type Header = z.output<typeof Header>
