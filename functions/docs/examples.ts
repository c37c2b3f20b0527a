import type { Variables } from '../../shared/base/wire/example.ts'
import type { docs } from './routes.ts'

export const variables: Variables<typeof docs> = {
  '/docs/{page}': ['The name of the page, as links have it.', 'guide-policies'],
}
