// Payloads of category compliance: checks, framework configuration and violations.
import * as z from 'zod'
import { flag, maybeText, payload, severity, text, texts, whole } from './fields.ts'

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
