// A tenant where Ada, whom policies ask, can be away, and Ben may decide but is not asked.
import { approvals } from '../../functions/approvals/routes.ts'
import { evidence } from '../../functions/evidence/routes.ts'
import { users } from '../../functions/users/routes.ts'
import { bodyOf, type Governed, governed } from './governed.ts'
import type { LocalStack } from './local-stack.ts'
import { inPerson, type Person, personWith } from './people.ts'
import { type SignedIn, signIn } from './sign-in.ts'

export const DAY_MS = 86_400_000

export type Away = Awaited<ReturnType<typeof away>>

export async function away(local: LocalStack) {
  const acme = await governed(local)
  const owner = await signIn(local, acme.owner)
  const person = (...roles: string[]): Promise<Person> => personWith(local, owner, roles)
  return {
    acme,
    owner,
    person,
    ada: await person('approver'),
    ben: await person('admin'),
    ...asking(acme),
    ...changing(local, owner),
    ...delegating(local),
    /** In a new session: the old one does not outlive a move of the clock. */
    again: async (one: Person): Promise<Person> => ({ ...(await signIn(local, one)), email: one.email }),
  }
}

function asking(acme: Governed) {
  const asks = (...stages: object[]) =>
    acme.policy({ name: 'people', effect: 'require_approval', approval: { stages } })
  return {
    asks,
    asksApprovers: (min_approvals = 1) => asks({ groups: ['role:approver'], min_approvals }),
    asked: async (): Promise<string> => (await acme.held()).approval.id,
    approve: (id: string, { access_token: key }: SignedIn, body: object = {}) => acme.approve(id, body, { key }),
    headerOf: async (id: string) => JSON.parse(bodyOf(await acme.call(evidence.get, { params: { id } }), 200).header),
  }
}

const changing = (local: LocalStack, owner: SignedIn) => ({
  setStatus: async ({ user_id: id }: SignedIn, status: 'active' | 'suspended') => {
    const set = () => owner.call(users.update, { params: { id }, body: { status } })
    return bodyOf(await inPerson(local, owner, set), 200)
  },
  setRoles: async ({ user_id: id }: SignedIn, roles: string[]) => {
    const set = () => owner.call(users.setRoles, { params: { id }, body: { roles } })
    return bodyOf(await inPerson(local, owner, set), 200)
  },
  remove: async ({ user_id: id }: SignedIn) => bodyOf(await owner.call(users.delete, { params: { id } }), 204),
})

function delegating(local: LocalStack) {
  const { clock } = local
  const inDays = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString()
  const create = (giver: SignedIn, to: SignedIn, body: object = {}) => {
    const delegation = { body: { to_user_id: to.user_id, until: inDays(7), ...body } }
    return inPerson(local, giver, () => giver.call(approvals.createDelegation, delegation))
  }
  return {
    inDays,
    create,
    delegate: async (giver: SignedIn, to: SignedIn, body?: object) => bodyOf(await create(giver, to, body), 201),
    end: (by: SignedIn, { id }: { id: string }) => by.call(approvals.endDelegation, { params: { id } }),
  }
}

/** Says for whom somebody votes. */
export const inNameOf = ({ user_id }: SignedIn) => ({ on_behalf_of: user_id })
