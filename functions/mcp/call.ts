import '../effects.ts'
import * as z from 'zod'
import { answer, replayAnswer } from '../../shared/govern/mcp/answer.ts'
import { loadMcp } from '../../shared/govern/mcp/load.ts'
import { Message } from '../../shared/govern/mcp/message.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { mcp } from './routes.ts'

export const shapes = {
  body: Message,
  response: z.union([
    z.object({
      jsonrpc: z.literal('2.0').describe('The version of JSON-RPC.'),
      id: z.union([z.string(), z.int()]).nullable().describe('The id of the message that is answered.'),
      result: z.looseObject({}).optional().describe('What the method answers; absent with an error.'),
      error: z
        .object({
          code: z.int().describe('The cause of the error, for programs.'),
          message: z.string().describe('A message for people.'),
          data: z.looseObject({}).optional().describe('More about the error.'),
        })
        .optional()
        .describe('The cause of the error.'),
    }),
    z.literal(''),
  ]),
}

/** One message of an agent. */
export const handler = endpoint(
  mcp.call,
  shapes,
  ({ body: message, ctx, headers, governance: loaded }) => answer(ctx, { message, headers, loaded }),
  {
    govern: loadMcp,
    replay: (ctx, ref, { body, headers }) => replayAnswer(ctx, ref, Message.parse(body), headers),
  },
)
