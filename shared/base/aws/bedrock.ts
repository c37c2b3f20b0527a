import { BedrockClient } from '@aws-sdk/client-bedrock'
import { clientConfig, sharedClient } from './clients.ts'

export const bedrock = (): BedrockClient => sharedClient('bedrock', () => new BedrockClient(clientConfig(5_000)))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export {
  CreateModelCustomizationJobCommand,
  GetModelCustomizationJobCommand,
  StopModelCustomizationJobCommand,
} from '@aws-sdk/client-bedrock'
