import type { Examples } from '../../shared/base/wire/example.ts'
import type { billing } from './routes.ts'

export const examples: Examples<typeof billing> = {
  checkout: {
    body: { plan_id: 'team', success_url: 'https://app.example.com/paid', cancel_url: 'https://app.example.com/plans' },
  },
  portal: { body: { return_url: 'https://app.example.com/settings' } },
}
