// The payment page and the portal, where a person decides.
import { html, Html, page } from '../../../shared/base/wire/page.ts'
import type { Reply } from '../connect/oauth.ts'
import { type Books, type Portal, priceOf } from './state.ts'
import type { Subscriptions } from './subscriptions.ts'

export type PageCall = { method: string; path: string; decision: string }

export function pageReply(books: Books, subscriptions: Subscriptions, { method, path, decision }: PageCall): Reply {
  const [, kind = '', key = ''] = path.split('/')
  const chosen = method === 'POST' ? decision : undefined
  return kind === 'pay' ? payPage(books, subscriptions, key, chosen) : portalPage(books, subscriptions, key, chosen)
}

type Choice = readonly [value: string, words: string]
const PAY: readonly Choice[] = [
  ['pay', 'Pay'],
  ['decline', 'Pay with a card that is declined'],
  ['cancel', 'Cancel'],
]
const CHANGE: readonly Choice[] = [
  ['change', 'Confirm'],
  ['back', 'Go back'],
]
const MANAGE: readonly Choice[] = [
  ['cancel', 'Cancel at the end of the period'],
  ['back', 'Go back'],
]
const BACK: readonly Choice[] = [['back', 'Go back']]

function payPage({ state }: Books, { begin }: Subscriptions, key: string, chosen: string | undefined): Reply {
  const of = state.sessions[key]
  if (of?.status !== 'open') return shown('This page is no longer open', html`<p>Nothing was paid. Start again.</p>`)
  const { success_url, cancel_url } = of
  const back = [success_url, cancel_url].filter((url) => url !== null)
  if (chosen === 'pay') {
    begin(of)
    return redirect(success_url)
  }
  if (chosen === 'decline')
    return asked('The card was declined', html`<p role="alert">Nothing was paid.</p>`, { choices: PAY, back })
  if (chosen !== undefined) return redirect(cancel_url)
  const words = html`<p>
    ${money(priceOf(state.sold[of.id])?.unit_amount)} a month. No card is charged: this page stands for the payment
    provider on this machine.
  </p>`
  return asked('Pay for your plan', words, { choices: PAY, back })
}

function portalPage({ state }: Books, by: Subscriptions, key: string, chosen: string | undefined): Reply {
  const of = state.portals[key]
  if (!of) return shown('This page is no longer open', html`<p>Start again.</p>`)
  const own = Object.values(state.subscriptions).find(
    ({ customer, status }) => customer === of.customer && status !== 'canceled',
  )
  const { change, return_url } = of
  if (chosen === 'change' && change) return changed(by, change)
  if (chosen === 'cancel' && own) by.change(own, { cancel_at_period_end: true })
  if (chosen !== undefined) return redirect(return_url)
  if (!change)
    return asked('Your subscription', html`<p>${own ? `It is ${own.status}.` : 'There is none.'}</p>`, {
      choices: own ? MANAGE : BACK,
      back: [return_url],
    })
  const words = html`<p>From now on ${money(priceOf(change.price)?.unit_amount)} a month.</p>`
  return asked('Change your plan', words, { choices: CHANGE, back: [return_url, change.after] })
}

function changed(
  { find, change, bill }: Subscriptions,
  { subscription, item: changedItem, price, quantity, after }: NonNullable<Portal['change']>,
) {
  const of = find(subscription)
  const item = of.items.data.find(({ id }) => id === changedItem)
  const next = priceOf(price)
  if (item && next) Object.assign(item, { price: next, quantity })
  change(of, {})
  bill(of, true)
  return redirect(after)
}

const money = (cents: number | null | undefined): string => `EUR ${((cents ?? 0) / 100).toFixed(2)}`

/** `back`: where the answer may lead. */
type Question = { choices: readonly Choice[]; back: readonly string[] }

function asked(title: string, words: Html, { choices, back }: Question): Reply {
  const buttons = choices.map(
    ([value, label], index) =>
      html`<button name="decision" value="${value}" ${index > 0 ? new Html(' class="second"') : ''}>${label}</button>`
        .text,
  )
  const form = html`<form method="post">${new Html(buttons.join(' '))}</form>`
  return shown(
    title,
    html`${words} ${form}`,
    back.map((url) => new URL(url).origin),
  )
}

function shown(title: string, content: Html, formTargets: readonly string[] = []): Reply {
  const { status, headers, body } = page(title, content, { formTargets })
  return { status, headers, body: String(body) }
}

const redirect = (location: string | null): Reply => ({ status: 303, headers: { location: location ?? '' }, body: '' })
