import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { testConnection, TestReport } from '../../shared/identity/sso/oidc/test-connection.ts'
import { sso } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: TestReport }

export const handler = endpoint(sso.test, shapes, ({ ctx }) => testConnection(ctx))
