// On the page of an approval, people see in whose name they vote and for how long they allow the same action.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvalLink } from '../../../shared/govern/approvals/votes/rules.ts'
import { type Away, away } from '../../support/away.ts'
import { Browser, type Place } from '../../support/browser.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import type { Person } from '../../support/people.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let at: Away
let browser: Browser
beforeEach(async () => {
  at = await away(local)
  browser = new Browser(local.appUrl)
})

async function seen(id: string, { email }: Person): Promise<Place> {
  const place = await browser.open(approvalLink(at.acme.tenant_id, id))
  return browser.press(place, 'password', { email, password: PASSWORD })
}

/** Presses Approve, and the button that asks once more. */
const approve = async (place: Place, fields: Record<string, string> = {}): Promise<Place> =>
  browser.press(await browser.press(place, 'approve', fields), 'confirm')

describe('in whose name', () => {
  test('is nothing to choose for who votes for themselves only', async () => {
    const { ben, asked } = at
    expect((await seen(await asked(), ben)).text).not.toContain('name="on_behalf_of"')
  })

  test('is chosen among the people for whom somebody may vote, asked once more, and told', async () => {
    const { acme, ada, ben, asksApprovers, asked, delegate } = at
    await asksApprovers()
    await delegate(ada, ben)
    const id = await asked()
    const place = await seen(id, ben)
    expect(place.text).toContain('<label for="voter">In whose name you vote</label>')
    expect(place.text).toContain(`<option value="${ada.user_id}">${ada.email}, who delegated to me</option>`)
    expect(place.text).not.toContain('my own')

    const asking = await browser.press(place, 'approve', { on_behalf_of: ada.user_id, reason: 'checked' })
    expect(asking.text).toContain(`You vote in the name of ${ada.email}.`)
    expect(await acme.approval(id)).toMatchObject({ status: 'pending' })

    const end = await browser.press(asking, 'confirm')
    expect(end.text).toContain(`${ben.email}, in the name of ${ada.email}: approved`)
    expect(await acme.approval(id)).toMatchObject({
      status: 'approved',
      reason: 'checked',
      votes: [{ by: { id: ben.user_id }, on_behalf_of: ada.user_id }],
    })
  })

  test('is one’s own first, where that may be', async () => {
    const { acme, ada, ben, asked, delegate } = at
    await delegate(ada, ben)
    const id = await asked()
    const place = await seen(id, ben)
    expect(place.text.match(/<option value="[^"]*"/g)).toEqual(['<option value=""', `<option value="${ada.user_id}"`])

    await approve(place)
    expect((await acme.approval(id)).votes).toEqual([expect.not.objectContaining({ on_behalf_of: ada.user_id })])
  })

  test('is nobody else’s for a form that named nobody', async () => {
    const { acme, ada, ben, asksApprovers, asked, delegate } = at
    await asksApprovers()
    const id = await asked()
    const before = await seen(id, ben)
    await delegate(ada, ben)

    expect((await approve(before)).status).toBe(403)
    expect((await browser.press(before, 'reject', { reason: 'no' })).status).toBe(403)
    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
  })

  test('is not somebody who has delegated nothing', async () => {
    const { acme, ada, ben, owner, asked } = at
    const id = await asked()
    const place = await seen(id, ben)
    for (const { user_id } of [ada, owner])
      expect((await browser.press(place, 'approve', { on_behalf_of: user_id })).status).toBe(403)
    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
  })
})

describe('the same request before', () => {
  test('is said with what became of it, by whom, when and why', async () => {
    const { acme, ada, ben } = at
    const ids = [await acme.held(), await acme.held(), await acme.held()].map(({ approval }) => approval.id as string)
    const [ran = '', refused = '', waits = ''] = ids
    await approve(await seen(ran, ben))
    const other = new Browser(local.appUrl)
    const place = await other.open(approvalLink(acme.tenant_id, refused))
    await other.press(await other.press(place, 'password', { email: ada.email, password: PASSWORD }), 'reject', {
      reason: 'it is <paid> already',
    })
    await local.advance(4 * 60_000)

    const { text } = await browser.open(approvalLink(acme.tenant_id, waits))
    expect(text).toContain(`The same ran 4 minutes ago (<a href="${ran}">see it</a>)`)
    expect(text).toContain(`The same was rejected by ${ada.email} 4 minutes ago, because: it is &lt;paid&gt; already`)
  })
})

describe('the same action again', () => {
  const permits = (max_s: number, named: object = {}, known: object = {}) =>
    at.acme.policy({
      ...known,
      name: 'ask about updates',
      effect: 'require_approval',
      scope: { action_kinds: ['update', 'delete'] },
      approval: { stages: [{ groups: ['any'] }], grant: { max_s, max_uses: 2, ...named } },
    })
  const held = async (action_id: string) => (await at.acme.held(action_id)).approval.id as string

  test('is allowed for as long as the policy permits, and only then offered', async () => {
    const { acme, ben } = at
    await permits(3_600)
    const id = await held('update_contact')
    const place = await seen(id, ben)
    expect(place.text).toContain('<option value="">no, this once only</option>')
    expect(place.text.match(/<option value="\d+">[^<]*/g)).toEqual([
      '<option value="600">for 10 minutes',
      '<option value="3600">for 1 hour',
    ])

    await browser.press(place, 'approve', { allow_for_s: '600' })
    expect(await acme.approval(id)).toMatchObject({ status: 'approved' })
    expect((await acme.execute('update_contact')).status).toBe(200)
    local.clock.moveTo(local.clock.now() + 600_000)
    expect((await acme.execute('update_contact')).status).toBe(202)
  })

  test('says which members may differ', async () => {
    const said = async () => (await seen(await held('update_contact'), at.ben)).text.replaceAll(/\s+/g, ' ')
    const { policy_id, version } = await permits(3_600)
    expect(await said()).toContain('with the same payload. It holds if everybody')
    await permits(3_600, { free: ['/note', '/text'], at_most: ['/amount'] }, { policy_id, version })
    expect(await said()).toContain(
      'with the same payload, except that /note, /text may differ, and /amount may be smaller. It holds',
    )
  })

  test('is said to leave out what waits already, which the same confirmation decides, each by its own vote', async () => {
    const { acme, ben } = at
    await permits(3_600)
    const [first, other] = [await held('update_contact'), await held('update_contact')]
    const asking = await browser.press(await seen(first, ben), 'approve', { allow_for_s: '600' })
    expect(asking.text).toContain('These wait already')
    expect(asking.text).toContain(`<a href="${other}">`)
    expect(asking.text).toContain('{&quot;contact&quot;:&quot;con_1&quot;}')
    expect(asking.text).not.toContain('hard to undo')
    const { action_digest } = await acme.approval(other)

    expect((await browser.press(asking, 'confirm', { also: `${other}#` })).status).toBe(422)
    await browser.press(asking, 'confirm', { also: `${other} ${action_digest}` })
    for (const id of [first, other])
      expect(await acme.approval(id)).toMatchObject({ status: 'approved', votes: [{ by: { id: ben.user_id } }] })
    expect(await acme.approval(other)).not.toHaveProperty('grant_id')
  })

  test('says which of those it did not decide', async () => {
    const { acme, ben } = at
    await permits(3_600)
    const [first, other] = [await held('update_contact'), await held('update_contact')]
    const asking = await browser.press(await seen(first, ben), 'approve', { allow_for_s: '600' })
    const end = await browser.press(asking, 'confirm', { also: `${other} sha256:${'0'.repeat(64)}` })

    expect(end.status).toBe(409)
    expect(end.text).toContain('This one is decided. Of those that waited, too, 1 are not.')
    expect(await acme.approval(first)).toMatchObject({ status: 'approved' })
    expect(await acme.approval(other)).toMatchObject({ status: 'pending', votes: [] })
  })

  test('is not offered for a kind that needs an approval each time, nor taken', async () => {
    const { acme, ben } = at
    await permits(3_600)
    const id = await held('delete_contact')
    const place = await seen(id, ben)
    expect(place.text).not.toContain('name="allow_for_s"')

    expect((await approve(place, { allow_for_s: '600' })).status).toBe(409)
    expect((await browser.press(place, 'approve', { allow_for_s: '59' })).status).toBe(422)
    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
  })

  test('is allowed by nobody who leaves the choice alone', async () => {
    const { acme, ben } = at
    await permits(600)
    const id = await held('update_contact')
    await browser.press(await seen(id, ben), 'approve')
    expect(await acme.approval(id)).toMatchObject({ status: 'approved' })
    expect((await acme.execute('update_contact')).status).toBe(202)
  })
})
