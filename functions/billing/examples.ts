import type { Examples } from '../../shared/base/wire/example.ts'
import type { billing } from './routes.ts'

export const examples: Examples<typeof billing> = {
  checkout: {
    body: { plan_id: 'team', success_url: 'http://localhost:3000/paid', cancel_url: 'http://localhost:3000/plans' },
  },
  portal: { body: { return_url: 'http://localhost:3000/settings' } },
}
