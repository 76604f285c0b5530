// The table of built-in tools. The configuration of the group enables them.
import { listDir, readFile, writeFile } from './files.ts'
import type { OwnTool } from './own.ts'
import { requestChange } from './request-change.ts'
import { scriptTool } from './run-script.ts'
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
