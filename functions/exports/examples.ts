import type { Variables } from '../../shared/base/wire/example.ts'
import type { exports } from './routes.ts'

export const variables: Variables<typeof exports> = {
  '/api/v1/exports/{export_id}': ['The id of the export.', 'exp_01JD3Q8Z5NC6G8J0M2P4R6T8V0'],
}
