// The first start founds a tenant and stores its credentials in a file that only its owner can read. Later starts only
// update the addresses in this file.
import { randomBytes } from 'node:crypto'
import { SURFACE } from '../surface.ts'
import type { Stack } from './stack.ts'

const FILE = 'credentials.json'

type Person = { email: string; password?: string }

/** `credentials.json`. Keys and passwords survive restarts. A person has the form of a login body. */
export type Credentials = {
  api_url: string
  app_url: string
  tenant_id: string
  live_key: string
  test_key: string
  approver_key: string
  owner: Person
  approver: Person
}

const FOUNDATION = {
  name: 'First tenant',
  plan: 'enterprise',
  owner_email: 'owner@countersign.example',
  approver_email: 'approver@countersign.example',
}

/** `first` is true when the credentials are new, which is the only time when they may be shown. */
export async function foundTenant(stack: Stack): Promise<{ credentials: Credentials; first: boolean }> {
  const { disk, apiUrl, appUrl } = stack
  const known = disk.readSecretFile(FILE)
  const tenant = known ? (known as Credentials) : await createTenant(stack) // written below
  const credentials = { ...tenant, api_url: apiUrl, app_url: appUrl }
  disk.writeSecretFile(FILE, credentials)
  return { credentials, first: !known }
}

type Founded = Omit<Credentials, 'api_url' | 'app_url'>

async function createTenant({ invoke }: Stack): Promise<Founded> {
  const row = SURFACE.workers.find(({ operation }) => operation === 'create-tenant')
  if (!row) throw new Error('no worker has the operation create-tenant')
  const [owner_password, approver_password] = [newPassword(), newPassword()]
  const input = { ...FOUNDATION, owner_password, approver_password }
  const founded = (await invoke(row, input)) as Founded // the worker's result, through JSON
  return {
    ...founded,
    owner: { email: founded.owner.email, password: owner_password },
    approver: { email: founded.approver.email, password: approver_password },
  }
}

const newPassword = () => randomBytes(18).toString('base64url')

/** The node on which a first tenant tries things. */
export const DEMO = {
  manifest: {
    protocol_version: '1.0',
    node: {
      id: 'demo.notification.email',
      name: 'Demo mailer',
      version: '1.0.0',
      owner: 'local',
      category: 'notification',
      endpoints: [
        { action_id: 'preview', description: 'Shows a mail without sending it', kind: 'read' },
        { action_id: 'send', description: 'Sends a mail', idempotency: true },
        { action_id: 'delete_mailbox', description: 'Deletes a mailbox for good', approval_required: true },
      ],
    },
  },
  registry: { listing_tier: 'development' },
}

/** Registers a demo node in both modes, so that the first request can already run an action. */
export async function registerDemo({ api_url, live_key, test_key }: Credentials): Promise<void> {
  for (const key of [live_key, test_key]) {
    const response = await fetch(`${api_url}/api/v1/protocol/manifest`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(DEMO),
    })
    if (response.status !== 201) throw new Error(`the demo manifest was refused: ${await response.text()}`)
  }
}
