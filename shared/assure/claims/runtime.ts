// The platform of the service, and the limits for every caller: the constants that enforce them.
import * as z from 'zod'
import { API_VERSION } from '../../base/catalog/event-types.ts'
import { env } from '../../base/lib/runtime.ts'
import {
  ACCESS_SECONDS,
  APPROVAL_SECONDS,
  FIBONACCI_RETRIES,
  KEY_LIFETIME_DAYS,
  REFRESH_SECONDS,
  SCIM_RESULTS_MAX,
  UNDO_WINDOW_MS,
  WEBHOOK_DEADLINE_MS,
} from '../../base/limits/published.ts'
import { LIMIT_MAX } from '../../base/wire/pagination.ts'
import { BODY_BYTES_DEFAULT } from '../../base/wire/parse-body.ts'
import { PROTOCOL_VERSIONS } from '../../base/catalog/kinds.ts'

const count = z.int()

export const Runtime = z.object({
  node: z.string().describe('Version of Node.js.'),
  region: z.string().describe('The AWS region.'),
  deployment: z.enum(['local', 'aws']).describe('`local`: on the machine of a developer.'),
  api_version: z.string().describe('Version of the event format, a date.'),
  manifest_protocol_versions: z
    .array(z.enum(PROTOCOL_VERSIONS))
    .describe('The versions of manifests that are accepted.'),
  limits: z
    .object({
      api_key_days: count.describe('The longest life of an API key.'),
      access_token_minutes: count.describe('How long an access token lives.'),
      refresh_token_days: count.describe('How long a refresh token lives, unless the tenant sets another time.'),
      undo_seconds: count.describe('How long a SOFT action can be undone.'),
      webhook_deadline_seconds: count.describe('How long the receiver of a webhook has to answer.'),
      webhook_retries: count.describe('How often a delivery is tried again.'),
      scim_max_results: count.describe('The most resources in one answer to SCIM.'),
      page_limit_max: count.describe('The most items on a page of a list.'),
      body_bytes_max: count.describe('The most bytes of a request, unless its description says otherwise.'),
      approval_expiry_hours: count.describe(
        'How long an approval waits, unless a policy or the tenant sets another time.',
      ),
    })
    .describe('Limits that hold for everybody, as the code enforces them.'),
})

export const runtime = (): z.output<typeof Runtime> => ({
  node: process.versions.node,
  region: env('REGION'),
  deployment: env('BASE_URL').startsWith('https:') ? 'aws' : 'local',
  api_version: API_VERSION,
  manifest_protocol_versions: [...PROTOCOL_VERSIONS],
  limits: {
    api_key_days: KEY_LIFETIME_DAYS,
    access_token_minutes: ACCESS_SECONDS / 60,
    refresh_token_days: REFRESH_SECONDS / 86_400,
    undo_seconds: UNDO_WINDOW_MS / 1_000,
    webhook_deadline_seconds: WEBHOOK_DEADLINE_MS / 1_000,
    webhook_retries: FIBONACCI_RETRIES.length,
    scim_max_results: SCIM_RESULTS_MAX,
    page_limit_max: LIMIT_MAX,
    body_bytes_max: BODY_BYTES_DEFAULT,
    approval_expiry_hours: APPROVAL_SECONDS / 3_600,
  },
})
