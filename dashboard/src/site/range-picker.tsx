/** Which days: presets, or any first and last day, in UTC. */
import { Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { formatRange } from '../format.ts'
import { CalendarIcon, CheckIcon, ChevronIcon } from '../parts/icons.tsx'
import { text } from '../text/text.ts'
import { isDay, presets, type SiteView } from './site-view.ts'

interface RangePickerProps {
  readonly view: SiteView
  /** The days that are shown. */
  readonly period: { readonly start: string; readonly end: string }
  readonly onChange: (changes: Record<string, string | null>) => void
}

export function RangePicker({ view, period, onChange }: RangePickerProps) {
  const [isCustom, setIsCustom] = useState(false)
  const label = view.preset ? text.range[view.preset] : formatRange(view.start, view.end)
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<CalendarIcon size={16} />}
            rightSection={<ChevronIcon size={16} />}
            aria-label={`${text.range.label}: ${label}`}
          >
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {presets.map(preset => (
            <Menu.Item
              key={preset}
              onClick={() => onChange({ range: preset, start: null, end: null })}
              rightSection={preset === view.preset ? <CheckIcon size={16} /> : null}
            >
              {text.range[preset]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            onClick={() => setIsCustom(true)}
            rightSection={view.preset === null ? <CheckIcon size={16} /> : null}
          >
            {text.range.custom}
          </Menu.Item>
          <Menu.Label>{text.range.utcNote}</Menu.Label>
        </Menu.Dropdown>
      </Menu>
      {isCustom && (
        <CustomDays
          start={period.start}
          end={period.end}
          onClose={() => setIsCustom(false)}
          onChoose={(start, end) => onChange({ range: null, start, end })}
        />
      )}
    </>
  )
}

interface CustomDaysProps {
  readonly start: string
  readonly end: string
  readonly onClose: () => void
  readonly onChoose: (start: string, end: string) => void
}

function CustomDays({ start: firstStart, end: firstEnd, onClose, onChoose }: CustomDaysProps) {
  const [start, setStart] = useState(firstStart)
  const [end, setEnd] = useState(firstEnd)
  const isOrdered = start <= end
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isDay(start) || !isDay(end) || !isOrdered) return
    onChoose(start, end)
    onClose()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={text.range.customTitle}
      size="sm"
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <form onSubmit={send}>
        <Stack>
          <Group grow>
            <TextInput
              type="date"
              label={text.range.start}
              value={start}
              onChange={event => setStart(event.currentTarget.value)}
              required
              withAsterisk={false}
              data-autofocus
            />
            <TextInput
              type="date"
              label={text.range.end}
              value={end}
              onChange={event => setEnd(event.currentTarget.value)}
              required
              withAsterisk={false}
              error={isOrdered ? null : text.range.wrongOrder}
            />
          </Group>
          <Text size="sm" c="dimmed">
            {text.range.utcNote}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.common.cancel}
            </Button>
            <Button type="submit">{text.range.apply}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
