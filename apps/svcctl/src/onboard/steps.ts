// The steps of the first run, in their order.
import { agent } from './agent.ts'
import { approval } from './approval.ts'
import { engine } from './engine.ts'
import { provider } from './provider.ts'
import { token, unit } from './reach.ts'
import type { Step } from './step.ts'
import { tool } from './tool.ts'

export const steps: readonly Step[] = [unit, token, engine, provider, agent, tool, approval]
