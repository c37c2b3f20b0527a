import { SageMakerClient } from '@aws-sdk/client-sagemaker'
import { clientConfig, sharedClient } from './clients.ts'

export const sagemaker = (): SageMakerClient =>
  sharedClient('sagemaker', () => new SageMakerClient(clientConfig(5_000)))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export {
  CreateTrainingJobCommand,
  DescribeTrainingJobCommand,
  StopTrainingJobCommand,
  type TrainingInstanceType,
} from '@aws-sdk/client-sagemaker'
