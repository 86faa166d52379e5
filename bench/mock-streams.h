/*
 * The streams of mockup: for each API the events before the text, an event with text, and those
 * after it, with the members that the providers send.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAT, RESPONSES, MESSAGES, GEMINI, WIRES };
enum { TIME_DIGITS = 19, AGE_DIGITS = 12, NUMBERS = 2, NUMBER_DIGITS = 3 };

#define ID "{\"id\":\"chatcmpl-BenchMock0123456789abcdef\",\"object\":\"chat.completion"
#define MADE "\"created\":1790000000,\"model\":\"mock-model\","
#define USAGE                                                                                   \
  "\"usage\":{\"prompt_tokens\":412,\"completion_tokens\":187,\"total_tokens\":599,"            \
  "\"prompt_tokens_details\":{\"cached_tokens\":128,\"audio_tokens\":0},"                       \
  "\"completion_tokens_details\":{\"reasoning_tokens\":0,\"audio_tokens\":0}}"
#define PADDING ",\"obfuscation\":\"t0000000000000000000a000000000000\"}\n\n"

#define RESPONSE                                                                                \
  "\"response\":{\"id\":\"resp_BenchMock0123\",\"object\":\"response\",\"created_at\":1790000000," \
  "\"background\":false,\"error\":null,\"incomplete_details\":null,\"instructions\":null,"      \
  "\"max_output_tokens\":50,\"model\":\"mock-model\",\"parallel_tool_calls\":true,"             \
  "\"previous_response_id\":null,\"reasoning\":{\"effort\":null,\"summary\":null},"             \
  "\"store\":false,\"temperature\":1.0,\"text\":{\"format\":{\"type\":\"text\"}},"              \
  "\"tool_choice\":\"auto\",\"tools\":[],\"top_p\":1.0,\"truncation\":\"disabled\","
#define RESPONSE_EVENT(name, number, rest)                                                      \
  "event: response." name "\ndata: {\"type\":\"response." name "\",\"sequence_number\":" number \
  "," rest "\n\n"
#define ITEM "\"item\":{\"id\":\"msg_BenchMock0123\",\"type\":\"message\",\"role\":\"assistant\","
#define IN_PART "\"item_id\":\"msg_BenchMock0123\",\"output_index\":0,\"content_index\":0,"
#define TEN " token token token token token token token token token token"
#define ANSWER TEN TEN TEN TEN TEN
#define PART(text) \
  "{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"" text "\"}"

#define CANDIDATE "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\""
#define GEMINI_END                                                                              \
  "\"usageMetadata\":{\"promptTokenCount\":412,\"candidatesTokenCount\":101,"                   \
  "\"totalTokenCount\":513,\"promptTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":412}]}," \
  "\"modelVersion\":\"mock-model\",\"responseId\":\"BenchMock0123\"}\r\n\r\n"

static const struct {
  const char *path, *limit, *start[4], *event, *end[4];
  /* Members of an event whose numbers of three digits grow by one per event. */
  const char *numbers[NUMBERS];
} texts[WIRES] = {
  [CHAT] = {
    .path = "/completions",
    .limit = "\"max_tokens\"",
    .event = "data: " ID ".chunk\"," MADE "\"choices\":[{\"index\":0,\"delta\":"
             "{\"content\":\" token\"},\"finish_reason\":null}],\"usage\":null" PADDING,
    .end = {
      "data: " ID ".chunk\"," MADE
      "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n",
      "data: " ID ".chunk\"," MADE "\"choices\":[]," USAGE "}\n\n",
      "data: [DONE]\n\n"
    }
  },
  [RESPONSES] = {
    .path = "/responses",
    .limit = "\"max_output_tokens\"",
    .start = {
      RESPONSE_EVENT("created", "100",
          RESPONSE "\"status\":\"in_progress\",\"output\":[],\"usage\":null}}"),
      RESPONSE_EVENT("in_progress", "101",
          RESPONSE "\"status\":\"in_progress\",\"output\":[],\"usage\":null}}"),
      RESPONSE_EVENT("output_item.added", "102",
          "\"output_index\":0," ITEM "\"status\":\"in_progress\",\"content\":[]}}"),
      RESPONSE_EVENT("content_part.added", "103", IN_PART "\"part\":" PART("") "}")
    },
    .event = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
             "\"sequence_number\":104," IN_PART "\"delta\":\" token\",\"logprobs\":[]" PADDING,
    .numbers = {"\"sequence_number\":"},
    .end = {
      RESPONSE_EVENT("output_text.done", "997", IN_PART "\"text\":\"" ANSWER "\",\"logprobs\":[]}"),
      RESPONSE_EVENT("content_part.done", "998", IN_PART "\"part\":" PART(ANSWER) "}"),
      RESPONSE_EVENT("output_item.done", "999", "\"output_index\":0," ITEM
          "\"status\":\"completed\",\"content\":[" PART(ANSWER) "]}}"),
      RESPONSE_EVENT("completed", "1000", RESPONSE "\"status\":\"completed\",\"output\":[{"
          "\"id\":\"msg_BenchMock0123\",\"type\":\"message\",\"role\":\"assistant\","
          "\"status\":\"completed\",\"content\":[" PART(ANSWER) "]}],"
          "\"usage\":{\"input_tokens\":412,\"input_tokens_details\":{\"cached_tokens\":128},"
          "\"output_tokens\":187,\"output_tokens_details\":{\"reasoning_tokens\":0},"
          "\"total_tokens\":599}}}")
    }
  },
  [MESSAGES] = {
    .path = "/messages",
    .limit = "\"max_tokens\"",
    .start = {
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":"
      "\"msg_BenchMock0123\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],"
      "\"model\":\"mock-model\",\"stop_reason\":null,\"stop_sequence\":null,\"usage\":"
      "{\"input_tokens\":412,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,"
      "\"output_tokens\":1}}}\n\n"
      "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
      "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
    },
    .event = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
             "\"delta\":{\"type\":\"text_delta\",\"text\":\" token\"}}\n\n",
    .end = {
      "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
      "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
      "\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":187}}\n\n"
      "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
    }
  },
  [GEMINI] = {
    .path = ":streamGenerateContent",
    .limit = "\"maxOutputTokens\"",
    .event = CANDIDATE " token\"}],\"role\":\"model\"},\"index\":0}]," GEMINI_END,
    .numbers = {"\"candidatesTokenCount\":", "\"totalTokenCount\":"},
    .end = {CANDIDATE "\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],"
            GEMINI_END}
  }
};

typedef struct {
  const char *limit;
  char start[4096], event[1024], end[8192];
  size_t start_length, event_length, end_length;
  /* Where the time and the growing numbers of an event stand; null if it has none. */
  char *time, *numbers[NUMBERS];
  int first[NUMBERS];
} Wire;

static Wire wires[WIRES];

static size_t framed(char *to, const char *const *events) {
  size_t length = 0;
  for (int i = 0; i < 4 && events[i]; i++) {
    length += sprintf(to + length, "%zx\r\n%s\r\n", strlen(events[i]), events[i]);
  }
  return length;
}

static void build_streams(void) {
  for (int i = 0; i < WIRES; i++) {
    Wire *wire = &wires[i];
    const char *event[4] = {texts[i].event};
    wire->limit = texts[i].limit;
    wire->start_length = framed(wire->start, texts[i].start);
    wire->event_length = framed(wire->event, event);
    wire->end_length = framed(wire->end, texts[i].end);
    wire->end_length += sprintf(wire->end + wire->end_length, "0\r\n\r\n");
    char *time = strstr(wire->event, "\"t0000");
    wire->time = time ? time + 2 : NULL;
    for (int n = 0; n < NUMBERS && texts[i].numbers[n]; n++) {
      wire->numbers[n] = strstr(wire->event, texts[i].numbers[n]) + strlen(texts[i].numbers[n]);
      wire->first[n] = atoi(wire->numbers[n]);
    }
  }
}

/* The wire of a request whose head ends with a null; chat for other paths. */
static Wire *wire_of(const char *head) {
  const char *line_end = strstr(head, " HTTP/");
  for (int i = 0; line_end && i < WIRES; i++) {
    const char *path = strstr(head, texts[i].path);
    if (path && path < line_end) return &wires[i];
  }
  return &wires[CHAT];
}

static void write_digits(char *to, int count, uint64_t value) {
  for (int i = count - 1; i >= 0; i--, value /= 10) to[i] = '0' + value % 10;
}

static void stamp_event(Wire *wire, uint64_t now, uint64_t age, int sent) {
  for (int n = 0; n < NUMBERS && wire->numbers[n]; n++) {
    write_digits(wire->numbers[n], NUMBER_DIGITS, wire->first[n] + sent);
  }
  if (!wire->time) return;
  write_digits(wire->time, TIME_DIGITS, now);
  write_digits(wire->time + TIME_DIGITS + 1, AGE_DIGITS, age);
}
