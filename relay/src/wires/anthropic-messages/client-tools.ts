import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'

/*
 * Tools that Anthropic defines and the client runs, as functions for other providers
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use). Claude knows their parameters by
 * the tool's type; other models get them as a schema. The newest version's parameters serve all.
 */

const PATH = { type: 'string', description: 'Absolute path of a file or directory.' }
const POSITION = {
  type: 'array',
  items: { type: 'integer' },
  description: 'x and y in pixels from the top left corner.',
}

const EDITS = {
  path: PATH,
  file_text: { type: 'string', description: 'For create: the content of the file.' },
  old_str: { type: 'string', description: 'For str_replace: text that occurs exactly once.' },
  new_str: { type: 'string', description: 'For str_replace: the text that takes its place.' },
  insert_line: {
    type: 'integer',
    description: 'For insert: the line to insert after; 0 is the top.',
  },
  insert_text: { type: 'string', description: 'For insert: the text.' },
  view_range: {
    type: 'array',
    items: { type: 'integer' },
    description: 'For view: first and last line, from 1; -1 is the end of the file.',
  },
}

type ToolForm = {
  readonly description: string
  readonly properties: JsonRecord
  readonly required: readonly string[]
}

const command = (...names: readonly string[]) => ({ type: 'string', enum: names })

const FORMS: Readonly<Record<string, ToolForm>> = {
  bash: {
    description: 'Runs a command in a persistent bash session and returns its output.',
    properties: {
      command: { type: 'string', description: 'The command to run.' },
      restart: { type: 'boolean', description: 'Restarts the session instead.' },
    },
    required: [],
  },
  text_editor: {
    description: 'Views, creates and edits text files.',
    properties: { command: command('view', 'create', 'str_replace', 'insert'), ...EDITS },
    required: ['command', 'path'],
  },
  memory: {
    description: 'Reads and writes files of a memory that lasts, under /memories.',
    properties: {
      command: command('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...EDITS,
      old_path: { type: 'string', description: 'For rename: the path of the file.' },
      new_path: { type: 'string', description: 'For rename: its new path.' },
    },
    required: ['command'],
  },
  computer: {
    description: 'Controls a computer with mouse and keyboard, and takes screenshots.',
    properties: {
      action: command(
        'key',
        'type',
        'mouse_move',
        'left_click',
        'left_click_drag',
        'right_click',
        'middle_click',
        'double_click',
        'triple_click',
        'left_mouse_down',
        'left_mouse_up',
        'scroll',
        'hold_key',
        'wait',
        'screenshot',
        'cursor_position',
      ),
      coordinate: POSITION,
      start_coordinate: { ...POSITION, description: 'For left_click_drag: where to begin.' },
      text: { type: 'string', description: 'For type, key and hold_key: the text or the keys.' },
      scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
      scroll_amount: { type: 'integer' },
      duration: { type: 'number', description: 'For wait and hold_key: seconds.' },
    },
    required: ['action'],
  },
}

/** Editors before `text_editor_20250728` name the inserted text differently, and can undo. */
const OLDER_EDITOR = /^text_editor_20(?:24|250[1-6])/

/** The function of a tool that the client runs; none for other tools. */
export function clientRunTool(tool: JsonRecord): JsonRecord[] {
  const [type, name] = [textOf(tool['type']), textOf(tool['name'])]
  const form = FORMS[/^(.+)_\d{8}$/.exec(type)?.[1] ?? '']
  if (form === undefined || name === '') return []
  const { description, required } = form
  const properties = OLDER_EDITOR.test(type) ? olderEdits(form.properties) : form.properties
  return [
    {
      name,
      description: `${description}${displayOf(tool)}`,
      input_schema: { type: 'object', properties, required },
    },
  ]
}

function olderEdits(properties: JsonRecord): JsonRecord {
  return {
    ...Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'insert_text')),
    command: command('view', 'create', 'str_replace', 'insert', 'undo_edit'),
    new_str: { type: 'string', description: 'For str_replace and insert: the new text.' },
  }
}

function displayOf(tool: JsonRecord): string {
  const [width, height] = [member(tool, 'display_width_px'), member(tool, 'display_height_px')]
  const isKnown = typeof width === 'number' && typeof height === 'number'
  return isKnown ? ` The display has ${width} × ${height} pixels.` : ''
}
