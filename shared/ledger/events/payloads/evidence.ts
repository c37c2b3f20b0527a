// Payloads of the categories evidence (artifacts, verifications of the chain, exports) and compliance (checks, settings of
// frameworks, violations).
import * as z from 'zod'
import { flag, maybeText, maybeWhole, payload, severity, text, texts, whole } from './fields.ts'

const HASH = 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

const handedOut = z
  .enum([
    'compliance_export',
    'data_export',
    'dataset',
    'model',
    'learning_snapshot',
    'decision_log',
    'incident',
    'alert',
    'domain_verification',
  ])
  .describe('The type of the artifact.')

export const evidence = {
  /** Has no position in the chain, because the sequencer assigns it later. */
  'evidence.emitted': payload(
    {
      artifact_id: text.describe('Id of the artifact.'),
      artifact_type: text.describe('The type of the artifact.'),
      hash: text.describe('Hash of the artifact, hex.'),
      subject: z
        .strictObject({ type: text.describe('The type of the resource.'), id: text.describe('Id of the resource.') })
        .describe('What the artifact is about.'),
    },
    {
      artifact_id: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V',
      artifact_type: 'protocol.executed',
      hash: HASH,
      subject: { type: 'execution', id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R' },
    },
  ),
  /** Checkpoint size and root make each receiver a witness of the chain. */
  'evidence.chain.verified': payload(
    {
      chain_valid: flag.describe('Whether every verified link is intact.'),
      total_artifacts: whole.describe('The number of artifacts in the chain.'),
      first_artifact: maybeText.describe('Id of the first artifact of the chain.'),
      latest_artifact: maybeText.describe('Id of the last artifact of the chain.'),
      signature_status: text.describe('Whether everything that should be signed is signed.'),
      broken_links: whole.describe('The number of positions whose link does not match the artifact before.'),
      verification_id: text.describe('Id of the verification.'),
      trigger: z.enum(['api', 'schedule']).describe('The cause of the run.'),
      checkpoint_size: whole.describe('The number of artifacts that the checkpoint covers.'),
      checkpoint_root: text.describe('Merkle root of the checkpoint, Base64.'),
    },
    {
      chain_valid: true,
      total_artifacts: 1_204,
      first_artifact: '2026-11-20T08:00:00.000Z',
      latest_artifact: '2026-11-20T10:00:00.000Z',
      signature_status: 'all_verified',
      broken_links: 0,
      verification_id: 'ver_01JD3Q8Z5N7K9N1Q3S5V7X9Z1B',
      trigger: 'api',
      checkpoint_size: 1_204,
      checkpoint_root: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
    },
  ),
  'artifact.created': payload(
    {
      artifact_type: handedOut,
      resource_id: text.describe('Id of the resource that the artifact is about.'),
      name: text.describe('A name for people.'),
      sha256: maybeText.describe('SHA-256 of the file, hex.'),
      size_bytes: maybeWhole.describe('Size in bytes.'),
    },
    {
      artifact_type: 'compliance_export',
      resource_id: 'exp_01JD3Q8Z5N8M0P2R4T6V8Y0A2C',
      name: 'soc2-2026-11.zip',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      size_bytes: 48_213,
    },
  ),
  'artifact.shared': payload(
    {
      artifact_type: handedOut,
      resource_id: text.describe('Id of the resource that the artifact is about.'),
      /** A principal's id, or `presigned_url`. */
      shared_with: text.describe('The receiver.'),
      expires_at: maybeText.describe('When it expires.'),
    },
    {
      artifact_type: 'compliance_export',
      resource_id: 'exp_01JD3Q8Z5N8M0P2R4T6V8Y0A2C',
      shared_with: 'presigned_url',
      expires_at: '2026-11-20T23:37:00.123Z',
    },
  ),
}

export const compliance = {
  'compliance.check.completed': payload(
    {
      run_id: text.describe('Id of the run of the checks.'),
      /** A check, or `framework:<id>` for the summary of a scheduled run. */
      check_id: text.describe('Id of the check.'),
      name: text.describe('A name for people.'),
      status: z.enum(['pass', 'fail', 'not_applicable', 'no_data', 'error']).describe('The current state.'),
      previous_status: maybeText.describe('The previous status.'),
      framework_ids: texts.describe('Ids of the frameworks.'),
      control_ids: texts.describe('The controls that the check belongs to.'),
      controls_met: whole.describe('The number of controls that are met.'),
      controls_total: whole.describe('The number of controls that were checked.'),
      failing_count: whole.describe('The number of items that fail the check.'),
    },
    {
      run_id: 'run_01JD3Q8Z5N9N1Q3S5V7X9Z1B3D',
      check_id: 'approvals.separation-of-duties',
      name: 'Nobody approves their own request',
      status: 'pass',
      previous_status: 'fail',
      framework_ids: ['soc2'],
      control_ids: ['CC6.1'],
      controls_met: 31,
      controls_total: 33,
      failing_count: 0,
    },
  ),
  'compliance.framework.updated': payload(
    {
      framework_id: text.describe('Id of the framework.'),
      enabled: flag.describe('Whether it is in force.'),
      scope: z
        .record(z.string(), z.union([text, whole, flag, texts, z.null()]))
        .describe('What the framework applies to.'),
      catalogue_version: text.describe('Version of the catalogue of controls.'),
      changed_fields: texts.describe('The members that changed.'),
    },
    {
      framework_id: 'soc2',
      enabled: true,
      scope: { availability: true, confidentiality: false, processing_integrity: false, privacy: false },
      catalogue_version: '2017-rev-2022',
      changed_fields: ['scope'],
    },
  ),
  'compliance.violation.detected': payload(
    {
      violation_id: text.describe('Id of the violation.'),
      check_id: text.describe('Id of the check.'),
      severity,
      framework_ids: texts.describe('Ids of the frameworks.'),
      control_ids: texts.describe('The controls that the check belongs to.'),
      failing_ids: texts.max(20).describe('Ids of the items that fail the check.'),
      task_id: maybeText.describe('Id of the task.'),
    },
    {
      violation_id: 'vio_01JD3Q8Z5NAP2R4T6V8Y0A2C4E',
      check_id: 'keys.rotation',
      severity: 'high',
      framework_ids: ['soc2', 'iso27001'],
      control_ids: ['CC6.1', 'A.8.24'],
      failing_ids: ['key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],
      task_id: null,
    },
  ),
}
