// Somebody who reads and writes the table, but cannot run the service or read its secrets.
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { onTestFinished } from 'vitest'
import { dynamodb } from '../../shared/base/aws/clients.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { onAlarm } from '../../shared/base/lib/log.ts'
import { type Key, toAttributes } from '../../shared/base/table/entity.ts'
import { printServerErrors } from './server-errors.ts'

export type Item = Record<string, unknown>

/** All attributes of an item, also those that the service keeps to itself. */
export async function steal(of: Key): Promise<Item> {
  const { Item } = await dynamodb().send(new GetItemCommand({ TableName: env('TABLE_NAME'), Key: toAttributes(of) }))
  if (!Item) throw new Error(`nothing stands at ${of.pk} ${of.sk}`)
  return unmarshall(Item)
}

export const plant = async (item: Item): Promise<void> => {
  await dynamodb().send(new PutItemCommand({ TableName: env('TABLE_NAME'), Item: toAttributes(item) }))
}

/** Changes some attributes of an item. */
export const tamper = async (of: Key, with_: Item): Promise<void> => plant({ ...(await steal(of)), ...with_ })

/** The alarms of the test from here on. */
export function alarms(): string[] {
  const raised: string[] = []
  onAlarm((event) => raised.push(event))
  onTestFinished(printServerErrors)
  return raised
}
