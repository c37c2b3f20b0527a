import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { billing } from './routes.ts'

export const examples: Examples<typeof billing> = {
  checkout: {
    body: { plan_id: 'team', success_url: 'http://localhost:3000/paid', cancel_url: 'http://localhost:3000/plans' },
  },
  portal: { body: { return_url: 'http://localhost:3000/settings' } },
}

export const variables: Variables<typeof billing> = {
  '/api/v1/billing/webhooks/{id}': ['Its id.', 'stripe'],
}
