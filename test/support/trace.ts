import type { Envelope } from '../../shared/ledger/events/event.ts'
import type { Governed } from './governed.ts'

export const E = 'evidence.emitted'
/** What every execution of an agent tells first. */
export const ASKED = ['action.requested', 'agent.action.triggered']

export const typesOf = (list: readonly { type: string }[]): string[] => list.map(({ type }) => type)

type Happening = () => Promise<{ body: { receipt?: object; execution?: { receipt: object } } }>
type Trace = { events: Envelope[]; types: string[]; artifacts: string[] }

/** The events that are told while something happens to an execution, and all artifacts of that execution by then. */
export async function trace(acme: Governed, happening: Happening): Promise<Trace> {
  let request_id = ''
  const events = await acme.told(async () => {
    const { body } = await happening()
    const receipt = body.receipt ?? body.execution?.receipt
    if (receipt && 'request_id' in receipt) request_id = String(receipt.request_id)
  })
  const { evidence } = await acme.look(request_id)
  return { events, types: typesOf(events), artifacts: typesOf(evidence) }
}
