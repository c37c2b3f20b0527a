import { stateCheck } from '../check.ts'
import { days, isWithin, population, setting } from './kinds.ts'

const SECRET_DAYS = 180

const isHttps = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:'

export const security = {
  'SEC-01': stateCheck(['kms'], ({ kms: { managed_by, state, rotates } }) => {
    const isAlive = state === 'Enabled'
    const alive = `is ${isAlive ? 'enabled' : `in state ${state}`}`
    if (managed_by === 'customer')
      return setting({ holds: isAlive, detail: `The key of the tenant ${alive}; rotating it is up to its owner.` })
    const rotation = rotates ? 'rotates by itself' : 'does not rotate'
    return setting({
      holds: isAlive && rotates === true,
      detail: `The key of the service that wraps the tenant's data keys ${alive} and ${rotation}.`,
    })
  }),

  'SEC-02': stateCheck(['endpoints', 'actions', 'settings'], ({ endpoints, actions, settings }) =>
    population({
      members: [
        ...endpoints,
        ...actions.flatMap(({ id, target: url }) => (url === undefined ? [] : { id, url })),
        ...settings.sso.urls.map((url) => ({ id: 'sso', url })),
      ],
      who: 'addresses of webhooks, actions and single sign-on',
      what: 'are https',
      holds: ({ url }) => isHttps(url),
    }),
  ),

  'SEC-03': stateCheck(['settings'], ({ settings: { allowlist } }) =>
    setting({
      offered: allowlist.offered,
      holds: allowlist.rules > 0 && !allowlist.open,
      detail: allowlist.open
        ? `The IP allowlist has ${allowlist.rules} rules that together let every address in.`
        : `The IP allowlist has ${allowlist.rules} rules.`,
    }),
  ),

  'SEC-04': stateCheck(['endpoints'], ({ endpoints }, { now }) =>
    population({
      members: endpoints.filter(({ status }) => status !== 'disabled'),
      who: 'enabled webhook endpoints',
      what: 'have a secret of the last 180 days',
      holds: ({ secret_created_at }) => isWithin(secret_created_at, days(SECRET_DAYS), now),
    }),
  ),
}
