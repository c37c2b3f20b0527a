import type { Payload } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import { ArtefactAdapter } from './adapter.ts'
import { findClient } from './client.ts'
import { mayManageClients } from './registration-token.ts'

/** A client manages its registration with this token (RFC 7592), as long as its maker may manage clients. */
export class RegistrationAccessAdapter extends ArtefactAdapter {
  constructor() {
    super('RegistrationAccessToken')
  }

  override async find(id: string): Promise<Payload | undefined> {
    const table = openTable()
    const payload = await super.find(id)
    const client = payload && (await findClient(table, String(payload.clientId)))
    return client && (await mayManageClients(table, client)) ? payload : undefined
  }
}
