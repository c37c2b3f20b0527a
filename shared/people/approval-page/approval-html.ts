// One approval as a page: what would happen, who asks, why it is held, the exact payload with its digest, and the two buttons.
// Everything that an agent or an author wrote is text, never markup, link or image.
import { canonicalJson } from '../../base/lib/json.ts'
import { MINUTE_MS } from '../../base/lib/clock.ts'
import { type Html, html } from '../../base/wire/page.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import type { ExecutionStatus } from '../../govern/executions/states.ts'
import type { Form } from '../../identity/oauth/pages/forms.ts'
import { decisionForm, visibleText } from './decision-form.ts'
import { nameIn, type Shown, type ShownApproval } from './shown.ts'

/** Longer payloads are folded. */
const FOLDED_CHARACTERS = 4_096

/** Kinds that a second button confirms, and the risk from which every kind is. */
const CONFIRMED = new Set(['payment', 'delete', 'destructive', 'deploy', 'permission'])
const CONFIRMED_RISK = 85

export const needsConfirmation = ({ kind, risk }: Pick<Approval, 'kind' | 'risk'>): boolean =>
  CONFIRMED.has(kind) || risk >= CONFIRMED_RISK

export function approvalHtml(form: Form, shown: Shown): Html {
  const { approval, description, person } = shown
  const what = visibleText(description ?? '')
  const payload = visibleText(shown.payload === null ? '' : canonicalJson(shown.payload))
  const marks = what.marks + payload.marks
  return html`<p class="hint">You are signed in as ${person}.</p>
    ${form.problem !== undefined && html`<p role="alert" id="problem">${form.problem}</p>`}
    <dl>
      <dt>Action</dt>
      <dd>${visibleText(approval.action_id).text}<br />${what.text}</dd>
      <dt>System</dt>
      <dd>${approval.node_id}, version ${approval.version}${approval.mode === 'test' && ', test mode'}</dd>
      ${
        approval.target !== undefined &&
        html`<dt>Calls</dt>
          <dd>${visibleText(approval.target).text}</dd>`
      }
      <dt>Asked by</dt>
      <dd>${askerOf(shown)}</dd>
      <dt>Kind and risk</dt>
      <dd>${approval.kind}, ${riskWord(approval.risk)} (${String(approval.risk)} of 100)</dd>
      <dt>Why it waits</dt>
      <dd>${whyOf(approval).map((reason) => html`${visibleText(reason).text}<br />`)}</dd>
      ${votesOf(shown)}
    </dl>
    ${
      marks > 0 &&
      html`<p role="alert">
        ${marks === 1 ? 'One character' : `${marks} characters`} cannot be seen, or could be taken for another. Such a
        character is shown by its number, as in ⟨U+202E⟩.
      </p>`
    }
    ${repeatsOf(shown)} ${changesOf(shown)}
    <h2>Exact payload</h2>
    ${shown.payload === null ? html`<p>The payload was erased.</p>` : folded(payload.text)}
    <p class="hint">Digest, which your decision is bound to: <code>${approval.action_digest}</code></p>
    ${decided(shown) ?? decisionForm(form, shown)} ${signOutForm(form)}`
}

/** A person who decides on the repeat of a payment must see that it is one. */
function repeatsOf(shown: Shown): Html | undefined {
  const { repeats, now } = shown
  if (repeats.length === 0) return undefined
  const lines = repeats.map((one) => {
    const by = one.status === 'rejected' && one.decided_by ? ` by ${nameIn(shown, one.decided_by)}` : ''
    const why =
      one.status === 'rejected' && one.reason !== undefined ? `, because: ${visibleText(one.reason).text}` : ''
    const when = `${WHAT_BECAME[one.status]}${by} ${ago(now - Date.parse(one.at))}${why}`
    return html`<li>The same ${when} (<a href="${one.approval_id}">see it</a>)</li>`
  })
  return html`<div role="alert">
    <h2>Asked before</h2>
    <ul>
      ${lines}
    </ul>
  </div>`
}

const WHAT_BECAME: Record<ExecutionStatus, string> = {
  submitted: 'was asked',
  executing: 'began to run',
  executed: 'ran',
  pending_approval: 'waits, too, since it was asked',
  approved: 'was approved',
  rejected: 'was rejected',
  expired: 'expired',
  cancelled: 'was cancelled',
  failed: 'ran and failed',
  outcome_unknown: 'ran, and nobody knows how it ended,',
  undone: 'ran, and was undone,',
}

function ago(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS)
  if (minutes < 1) return 'just now'
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`
  return `${Math.floor(minutes / 60)} hours ago`
}

/** A known name may do something else now. */
function changesOf({ changed }: Shown): Html | undefined {
  if (!changed) return undefined
  const lines = changed.differences.map(
    ({ path, before = 'nothing', after = 'nothing' }) =>
      html`<li>${visibleText(path).text}: ${visibleText(before).text} → ${visibleText(after).text}</li>`,
  )
  return html`<h2>Changed since it was approved last</h2>
    <p>Version ${changed.version} was approved at ${changed.approved_at}. Since then, its definition has changed:</p>
    <ul>
      ${lines}
    </ul>`
}

function askerOf(shown: Shown): string {
  const { requested_by, client_id: id, agent_id, agent_bound } = shown.approval
  const through = id === undefined ? '' : `, through the application ${visibleText(nameIn(shown, { id })).text} (${id})`
  const agent = agent_id === undefined ? '' : `, agent ${agent_id}${agent_bound ? '' : ' (it says so itself)'}`
  return `${ASKERS[requested_by.type]} ${nameIn(shown, requested_by)}${through}${agent}`
}

const ASKERS = { user: 'person', api_key: 'API key', client: 'client', agent: 'agent', system: 'the service' }

const riskWord = (risk: number) => (risk >= CONFIRMED_RISK ? 'high risk' : risk >= 50 ? 'medium risk' : 'low risk')

/** The signals of the decision in words, and the policies that want an approval. */
const whyOf = ({ reasons, policy_ids }: ShownApproval): string[] => [
  ...reasons.map((signal) => REASONS[signal] ?? signal.replaceAll('_', ' ')),
  ...policy_ids.map((id) => `The policy ${id} asks for approval.`),
]

const REASONS: Record<string, string> = {
  verb: 'Its name says that it does something of this kind.',
  unknown_verb: 'Nothing is known about what it does.',
  description: 'Its description says that it does something of this kind.',
  target: 'What it calls says that it does something of this kind.',
  method: 'It is called with a method that changes or deletes.',
  word: 'The address that it calls names an act.',
  payload: 'Its payload says that it does something of this kind.',
  irreversible: 'It cannot be undone.',
  approval_required: 'Its author asks for approval.',
  min_tier: 'A policy asks for approval.',
  destructive_hint: 'Its author says that it destroys something.',
}

function votesOf(shown: Shown): Html[] {
  const { votes } = shown.approval
  if (votes.length === 0) return []
  const lines = votes.map(
    (vote) => html`${voterOf(shown, vote)}: ${WORDS[vote.decision]}${dependence(shown, vote)}<br />`,
  )
  return [
    html`<dt>Votes</dt>
      <dd>${lines}</dd>`,
  ]
}

const voterOf = (shown: Shown, { by, on_behalf_of: id }: ShownApproval['votes'][number]): string =>
  nameIn(shown, by) + (id === undefined ? '' : `, in the name of ${nameIn(shown, { id })}`)

const dependence = (shown: Shown, { raised_by = [] }: ShownApproval['votes'][number]): string =>
  raised_by.length === 0
    ? ''
    : `, which counts because nobody else could decide: ${raised_by.map((id) => nameIn(shown, { id })).join(', ')} stands behind the account`

const WORDS = { approve: 'approved', reject: 'rejected' }

const folded = (text: string): Html =>
  text.length <= FOLDED_CHARACTERS
    ? html`<pre tabindex="0">${text}</pre>`
    : html`<details>
        <summary>${String(text.length)} characters: open them before you decide</summary>
        <pre tabindex="0">${text}</pre>
      </details>`

/** The end of the approval and of its action; undefined while it waits. */
function decided(shown: Shown): Html | undefined {
  const { approval, outcome } = shown
  if (approval.status === 'pending') return undefined
  const { decided_by: by, decided_at: at, reason, superseded_by: next } = approval
  return html`<p role="status">
      <strong>${ENDS[approval.status]}</strong>${by && ` by ${nameIn(shown, by)}`}${at && ` at ${at}`}.
      ${reason !== undefined && `Reason: ${visibleText(reason).text}.`} ${outcome?.message}
    </p>
    ${next !== undefined && html`<p>The request is held anew: <a href="${next}">see the new approval</a>.</p>`}
    ${
      outcome?.output !== undefined &&
      html`<h2>Output</h2>
        ${folded(visibleText(canonicalJson(outcome.output)).text)}`
    }`
}

const ENDS = {
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
}

const signOutForm = ({ token }: Form): Html =>
  html`<form method="post">
    <input type="hidden" name="token" value="${token}" />
    <button name="step" value="sign_out" class="second">Sign out</button>
  </form>`
