// Made-up records of an account, always the same: as many as real accounts have, so that pages, limits and waits show.
import type { Category } from '../../../shared/deliver/integrations/catalogue/provider.ts'

export const RECORDS = 10_000
const START = Date.parse('2026-01-01T00:00:00Z')
const STEP_MS = 600_000

const PEOPLE = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Ken']
const TOPICS = ['invoice', 'login', 'export', 'search', 'backup', 'report', 'contract', 'delivery']
const STATES = ['open', 'open', 'closed', 'pending']

const pick = (from: readonly string[], n: number): string => from[n % from.length] ?? ''

/** `id` is the name that the provider gives the identifier. */
export function record(category: Category, n: number, idName = 'id'): Record<string, unknown> {
  const at = new Date(START + n * STEP_MS).toISOString()
  const person = pick(PEOPLE, n)
  const topic = pick(TOPICS, Math.floor(n / PEOPLE.length))
  const common = { [idName]: `${category.slice(0, 3)}-${n + 1}`, created_at: at, updated_at: at }
  const email = `${person.toLowerCase()}.${n % 97}@example.com`
  if (category === 'contacts') return { ...common, name: `${person} ${n + 1}`, email, phone: `+1 555 01${n % 100}` }
  if (category === 'files') return { ...common, name: `${topic}-${n + 1}.pdf`, size: 1_000 + n, owner: email }
  if (category === 'calendar')
    return { ...common, summary: `${person}: ${topic}`, start: { dateTime: at }, organizer: { email } }
  if (category === 'messages')
    return { ...common, from: email, subject: `About the ${topic}`, text: `Hello, the ${topic} is ready.` }
  return { ...common, title: `The ${topic} of ${person} fails`, state: pick(STATES, n), assignee: { email } }
}
