// Stand-in for Amazon Cognito: one pool with one confidential client, as in `infra/constructs/user-pool.ts`. Users, tokens
// and the key survive a restart. Its tests also run against a real pool (`npm run test:aws`).
import type { Worker } from '../../../shared/base/wire/worker.ts'
import { USER_POOL } from '../../topology.ts'
import { AwsError } from '../aws-error.ts'
import type { Actions } from '../aws-server.ts'
import type { Clock } from '../clock.ts'
import type { Disk } from '../disk.ts'
import type { Invoke } from '../lambda.ts'
import { openIssuer } from './issuer.ts'
import { arnOf, openPool, type Pool } from './pool.ts'
import { signInActions } from './sign-in.ts'
import { openStore, type Store } from './store.ts'
import { digestOf, type Issuing, issueTokens } from './tokens.ts'
import { triggersOf } from './triggers.ts'
import { userActions } from './users.ts'

export type Cognito = {
  /** The pool as in `Platform`; the key set is below the issuer. */
  pool: { id: string; arn: string; clientId: string; issuer: string }
  /** Called later, because the environment of the functions needs the pool. */
  actions: (rows: readonly Worker[], invoke: Invoke) => Actions
  close: () => Promise<void>
}

const REGION = 'us-east-1'
const SERVICE = 'AWSCognitoIdentityProviderService'

export async function openCognito(disk: Disk, clock: Clock): Promise<Cognito> {
  const pool = await openPool(disk)
  const issuer = await openIssuer(disk, pool)
  return {
    pool: { id: pool.id, arn: arnOf(pool), clientId: pool.clientId, issuer: issuer.url },
    close: issuer.close,
    actions: (rows, invoke) => {
      const callerContext = { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId: pool.clientId }
      const call = triggersOf(rows, invoke, { region: REGION, userPoolId: pool.id, callerContext })
      return actionsOf(openStore(disk.db), { pool, issuer: issuer.url, call, now: clock.now })
    },
  }
}

function actionsOf(store: Store, by: Issuing): Actions {
  const inPool = { ...describing(by.pool, store), ...userActions(store, by.now), ...signInActions(store, by) }
  const byToken = tokenActions(store, by)
  return Object.fromEntries(
    Object.entries({ ...inPool, ...byToken }).map(([name, action]) => [
      `${SERVICE}.${name}`,
      (input: never) => {
        mustKnowIds(input, by.pool)
        return action(input)
      },
    ]),
  )
}

/** Throws for another pool or client than the only ones. */
function mustKnowIds({ UserPoolId, ClientId }: { UserPoolId?: string; ClientId?: string }, pool: Pool): void {
  const unknown = (what: string) => new AwsError('ResourceNotFoundException', `${what} does not exist.`)
  if (UserPoolId !== undefined && UserPoolId !== pool.id) throw unknown(`User pool ${UserPoolId}`)
  if (ClientId !== undefined && ClientId !== pool.clientId) throw unknown(`User pool client ${ClientId}`)
}

const describing = (pool: Pool, store: Store): Actions => ({
  DescribeUserPool: () => ({
    UserPool: {
      Id: pool.id,
      Arn: arnOf(pool),
      MfaConfiguration: 'OFF',
      UserPoolTier: 'ESSENTIALS',
      EstimatedNumberOfUsers: store.users().length,
    },
  }),
  DescribeUserPoolClient: () => ({
    UserPoolClient: {
      UserPoolId: pool.id,
      ClientId: pool.clientId,
      ClientSecret: pool.clientSecret,
      ExplicitAuthFlows: USER_POOL.flows,
      EnableTokenRevocation: true,
      PreventUserExistenceErrors: 'ENABLED',
    },
  }),
})

type WithSecret = { ClientSecret?: string }

/** Operations whose credential is the refresh token. */
function tokenActions(store: Store, by: Issuing): Actions {
  const notAuthorized = (message: string) => new AwsError('NotAuthorizedException', message)
  const mustMatchSecret = ({ ClientSecret }: WithSecret) => {
    if (ClientSecret !== by.pool.clientSecret) throw notAuthorized('Unable to verify the secret of the client')
  }
  return {
    GetTokensFromRefreshToken: async (input: WithSecret & { RefreshToken: string }) => {
      mustMatchSecret(input)
      const family = store.family(digestOf(input.RefreshToken))
      if (!family) throw notAuthorized('Invalid Refresh Token')
      if (family.revoked === 1) throw notAuthorized('Refresh Token has been revoked')
      if (by.now() >= family.expires_at) throw notAuthorized('Refresh Token has expired')
      const user = store.user(family.username, family.sub)
      return { AuthenticationResult: await issueTokens(by, user, family, 'TokenGeneration_RefreshTokens') }
    },
    RevokeToken: (input: WithSecret & { Token: string }) => {
      mustMatchSecret(input)
      store.revoke(digestOf(input.Token))
      return {}
    },
  }
}
