// What the service runs on, and the limits that hold for everybody: the constants that enforce them.
import * as z from 'zod'
import { API_VERSION } from '../../base/catalog/event-types.ts'
import { env } from '../../base/lib/env.ts'
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
  node: z.string(),
  region: z.string(),
  deployment: z.enum(['local', 'aws']),
  api_version: z.string(),
  manifest_protocol_versions: z.array(z.enum(PROTOCOL_VERSIONS)),
  limits: z.object({
    api_key_days: count,
    access_token_minutes: count,
    refresh_token_days: count,
    undo_seconds: count,
    webhook_deadline_seconds: count,
    webhook_retries: count,
    scim_max_results: count,
    page_limit_max: count,
    body_bytes_max: count,
    approval_expiry_hours: count,
  }),
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
