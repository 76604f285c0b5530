// The tools that the agent brings along itself. Which of them are on is decided for its group.
import { listDir, readFile, writeFile } from './files.ts'
import type { OwnTool } from './own.ts'
import { requestChange } from './request-change.ts'
import { scriptTool } from './script.ts'
import { search } from './search.ts'
import { readPersona, remember, sendMessage } from './talk.ts'

export const ownTools: readonly OwnTool[] = [
  listDir,
  readFile,
  readPersona,
  remember,
  requestChange,
  scriptTool,
  search,
  sendMessage,
  writeFile,
]
