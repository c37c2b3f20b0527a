// Payloads of category compliance: checks, framework configuration and violations.
import * as z from 'zod'
import { flag, maybeText, payload, severity, text, texts, whole } from './fields.ts'

export const compliance = {
  'compliance.check.completed': payload(
    {
      run_id: text,
      /** A check, or `framework:<id>` for the summary of a scheduled run. */
      check_id: text,
      name: text,
      status: z.enum(['pass', 'fail', 'not_applicable', 'no_data', 'error']),
      previous_status: maybeText,
      framework_ids: texts,
      control_ids: texts,
      controls_met: whole,
      controls_total: whole,
      failing_count: whole,
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
      framework_id: text,
      enabled: flag,
      scope: z.record(z.string(), z.union([text, whole, flag, texts, z.null()])),
      catalogue_version: text,
      changed_fields: texts,
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
      violation_id: text,
      check_id: text,
      severity,
      framework_ids: texts,
      control_ids: texts,
      failing_ids: texts.max(20),
      task_id: maybeText,
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
