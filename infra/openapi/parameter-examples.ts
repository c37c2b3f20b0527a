// A value for each path variable, and for those query parameters whose words leave its form open.
import type { Route } from '../../shared/base/wire/route.ts'

const TENANT = 'ten_01JD3Q8Z5N7K9N1Q3S5V7X9Z1B'
const EXPORT = 'exp_01JD3Q8Z5NC6G8J0M2P4R6T8V0'
const EXECUTION = 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R'
const TASK = 'exe_01JD3Q8Z5N2C4E6G8J0M2P4R0A'
const CLIENT = 'cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'
const FRAMEWORK = 'soc2'
const PERSON = '5eb7d67a-d04d-4bf2-8daf-8899752a99bd'
const NODE = 'crm.notification.mailer'
const POLICY = 'pol_01JD3Q8Z5ND8J0M2P4R6T8V0X2'

const OF_VARIABLE: Record<string, string> = {
  check_id: 'GOV-01',
  client_id: CLIENT,
  control_key: 'cc6.1',
  name: 'holidays-de',
  page: 'guide-policies',
  model_id: 'mdl_01JD3Q8Z5NR6D8F0H2J4L6N8Q0',
  persona_key: 'support',
  dataset_id: 'dst_01JD3Q8Z5NP4B6D8F0H2J4L6N8',
  job_id: 'job_01JD3Q8Z5NS2C4E6G8J0M2P4R6',
  export_id: EXPORT,
  factor_id: 'mfa_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
  node_id: NODE,
  policy_id: POLICY,
  freeze_id: 'frz_01JD3Q8Z5N5H7K9N1Q3S5V7X9Z',
  request_id: EXECUTION,
  role: 'hook-keeper',
  run_id: 'run_01JD3Q8Z5N9N1Q3S5V7X9Z1B3D',
  rule_id: 'ipr_01JD3Q8Z5NE0M2P4R6T8V0X2Z4',
  task_id: TASK,
  tool_name: 'mailer_send_mail',
  tenant: TENANT,
  tenant_id: TENANT,
  uid: 'V1StGXR8_Z5jdHi6B-myT',
}

/** What the variable `id` holds, by the resource of the row. */
const OF_RESOURCE: Record<string, string> = {
  framework: FRAMEWORK,
  control: FRAMEWORK, // of the framework that has it
  approval: 'apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X',
  grant: 'grt_01JD3Q8Z5NGR5H7K9N1Q3S5V7X',
  delegation: 'dlg_01JD3Q8Z5ND3H7K9N1Q3S5V7XZ',
  session: '0d4a7c1e-52c9-4b7e-9a3f-6f1f0c8f2b11',
  'submitted evidence': 'evd_01JD3Q8Z5NA2C4E6G8J0M2P4R6',
  erasure: 'ers_01JD3Q8Z5NF2P4R6T8V0X2Z4B6',
  artifact: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V',
  'API key': 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
  user: PERSON,
  application: PERSON, // of the person who gave it access
  'directory user': PERSON,
  'directory group': 'grp_01JD3Q8Z5NG4R6T8V0X2Z4B6D8',
  'resource type': 'User',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
  'webhook endpoint': 'whe_01JD3Q8Z5N5K7N9Q1S3V5X7Z9B',
  delivery: 'dlv_01JD3Q8Z5N8P0R2T4V6X8Z0C2E',
  task: 'tsk_01JD3Q8Z5NH6T8V0X2Z4B6D8F0',
  worker: 'wrk_01JD3Q8Z5NJ8V0X2Z4B6D8F0H2',
  SLO: 'slo_01JD3Q8Z5NK0X2Z4B6D8F0H2J4',
  'alert rule': 'rul_01JD3Q8Z5NJZ1B3D5F7H9K1N3Q',
  alert: 'alt_01JD3Q8Z5NHY0A2C4E6G8J0M2P',
  connector: 'notes',
  incident: 'inc_01JD3Q8Z5NM2Z4B6D8F0H2J4L6',
  'sync job': 'syn_01JD3Q8Z5NDS5V7X9Z1B3D5F7H',
  'A/B test': 'abt_01JD3Q8Z5NS6D8F0H2J4L6N8Q0',
  'connect provider': 'nango',
  'payment provider': 'stripe',
  'routing update': 'rtu_01JD3Q8Z5NRD8F0H2J4L6N8P0R',
}

const OF_QUERY: Record<string, string> = {
  action: 'api_key.created',
  attributes: 'userName,emails.value',
  client_id: CLIENT,
  end_at: '2026-11-01T00:00:00.000Z',
  excludedAttributes: 'members',
  redirect_uri: 'https://reporter.example/callback',
  request_id: EXECUTION,
  response_type: 'code',
  scope: 'openid',
  start_at: '2026-10-01T00:00:00.000Z',
  token: 'the-token-of-the-mail',
  types: 'action.*,policy.updated',
}

/** Undefined for a variable or resource that has no value yet; a test names it. */
export const exampleOfVariable = ({ resource = '' }: Route, name: string): string | undefined =>
  name === 'id' ? OF_RESOURCE[resource] : OF_VARIABLE[name]

export const exampleOfQuery = (name: string): string | undefined => OF_QUERY[name]
