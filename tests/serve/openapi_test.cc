// GET /openapi.json: a valid document, whose schemas are those that the routes read and write.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/apply/expected.h"
#include "tests/serve/described.h"
#include "tests/serve/reranker.h"

namespace locus::serve {
namespace {

using Element = simdjson::dom::element;

constexpr const char* kJobs[] = {"embed", "classify", "entail", "tag",
                                 "fill",  "answer",   "write",  "translate"};

class OfJob {
 public:
  explicit OfJob(const std::string& job) : service_({.folder = golden_model(job)}) {
    service_.wait_until_ready();
  }
  Service& service() { return service_; }

 private:
  Service service_;
};

void expect_valid_schema(Element schema, const std::string& place);

void expect_valid_schemas(simdjson::dom::object schemas, const std::string& place) {
  for (const auto [name, schema] : schemas) expect_valid_schema(schema, place + "." + std::string(name));
}

// Keywords of JSON Schema, with values of their types.
void expect_valid_schema(Element schema, const std::string& place) {
  ASSERT_TRUE(schema.is_object()) << place;
  for (const auto [keyword, rule] : members_in(schema)) {
    const std::string inner = place + "/" + std::string(keyword);
    if (keyword == "type") {
      const std::set<std::string_view> types = {"string", "boolean", "null",  "array",
                                                "object", "integer", "number"};
      EXPECT_EQ(types.count(rule.get_string().value()), 1U) << inner;
    } else if (keyword == "anyOf") {
      EXPECT_GT(rule.get_array().value().size(), 0U) << inner;
      for (const Element one : list_of(rule)) expect_valid_schema(one, inner);
    } else if (keyword == "properties") {
      expect_valid_schemas(rule.get_object().value(), inner);
    } else if (keyword == "required") {
      for (const Element name : list_of(rule)) {
        EXPECT_FALSE(schema["properties"].get_object().at_key(name.get_string().value()).error()) << inner;
      }
    } else if (keyword == "items" || keyword == "not" || keyword == "contains") {
      expect_valid_schema(rule, inner);
    } else if (keyword == "additionalProperties") {
      if (!rule.is_bool()) expect_valid_schema(rule, inner);
    } else if (keyword == "default") {
      EXPECT_EQ(JsonSchema::mismatch(schema, rule, false), "") << inner;
    } else if (keyword == "enum") {
      EXPECT_GT(rule.get_array().value().size(), 0U) << inner;
    } else if (keyword == "minItems" || keyword == "maxItems" || keyword == "maxProperties") {
      EXPECT_GE(rule.get_int64().value(), 0) << inner;
    } else if (keyword == "minimum" || keyword == "maximum") {
      EXPECT_TRUE(rule.is_number()) << inner;
    } else {
      EXPECT_TRUE(keyword == "const" || keyword == "description") << inner;
    }
  }
}

void expect_valid_content(Element root, Element content, const std::string& place) {
  EXPECT_GT(content.get_object().value().size(), 0U) << place;
  for (const auto [type, media] : members_in(content)) {
    if (type == kEvents) continue;
    Element schema = media["schema"].value();
    std::string_view reference;
    if (!schema["$ref"].get(reference)) {
      ASSERT_TRUE(reference.starts_with("#/")) << reference;
      schema = root.at_pointer(reference.substr(1)).value();
    }
    expect_valid_schema(schema, place + "/" + std::string(type));
  }
}

TEST(OpenApi, IsAValidDocument) {
  for (const char* job : kJobs) {
    OfJob served(job);
    const Described described(served.service());
    const Element root = described.root();
    EXPECT_EQ(root["openapi"].get_string().value(), "3.1.0");
    EXPECT_FALSE(root["info"]["title"].get_string().error() || root["info"]["version"].get_string().error());
    std::set<std::string_view> ids;
    for (const auto [path, methods] : members_in(root["paths"])) {
      EXPECT_TRUE(path.starts_with('/'));
      for (const auto [method, operation] : members_in(methods)) {
        const std::string place = fmt::format("{} {} {}", job, method, path);
        EXPECT_TRUE(method == "get" || method == "post") << place;
        EXPECT_TRUE(ids.insert(operation["operationId"].get_string().value()).second) << place;
        EXPECT_EQ(path.find('{') == std::string_view::npos, !!operation["parameters"].error()) << place;
        EXPECT_EQ(method == "get", !!operation["requestBody"].error()) << place;
        if (method == "post") {
          expect_valid_content(root, operation["requestBody"]["content"].value(), place);
        }
        for (const char* status : {"200", "default"}) {
          const Element response = operation["responses"][status].value();
          EXPECT_FALSE(response["description"].error()) << place;
          expect_valid_content(root, response["content"].value(), place + " " + status);
        }
      }
    }
  }
}

std::string names_of(const Described& described, const std::string& path) {
  return fmt::format("{}", fmt::join(described.members_of(path), " "));
}

// The members that each handler reads, by hand. A handler and its schema are one function, so a new member
// shows up here.
TEST(OpenApi, HasTheMembersOfEachBody) {
  const auto expect = [](const char* job, std::initializer_list<std::pair<const char*, std::string>> routes) {
    OfJob served(job);
    const Described described(served.service());
    for (const auto& [path, names] : routes) EXPECT_EQ(names_of(described, path), names) << path;
  };
  expect("embed",
         {{"/v1/embeddings", "dimensions encoding_format input model normalize prompt_name truncate user"},
          {"/embed", "dimensions inputs normalize prompt_name truncate truncation_direction"},
          {"/embed_all", "inputs prompt_name truncate truncation_direction"},
          {"/similarity", "inputs parameters"},
          {"/", "dimensions inputs normalize parameters prompt_name truncate truncation_direction"},
          {"/tokenize", "add_special_tokens inputs prompt_name"},
          {"/decode", "ids skip_special_tokens"}});
  expect("classify", {{"/classify", "claim inputs label text text_pair truncate"},
                      {"/predict", "inputs raw_scores truncate truncation_direction"},
                      {"/", "inputs model options parameters stream"}});
  expect("tag", {{"/tag", "inputs offsets text truncate"}});
  expect("fill", {{"/fill", "inputs text top truncate"}});
  expect("answer", {{"/answer", "context inputs longest offsets overlap question truncate window"}});
  expect("translate", {{"/translate", "beams from inputs max_tokens text to truncate"}});
  expect("write",
         {{"/generate",
           "beams inputs length_penalty max_tokens min_p prompt read_specials repetition_penalty seed "
           "stop temperature top_k top_p truncate"}});
}

// Without members, a body lacks exactly those that are required.
TEST(OpenApi, RequiresWhatRoutesRequire) {
  for (const char* job : kJobs) {
    OfJob served(job);
    const Described described(served.service());
    for (const Route& route : routes()) {
      const std::string path(route.path);
      if (route.method != "POST" || path.ends_with('*')) continue;
      if (described.root().at_pointer("/paths").get_object().value().at_key(path).error()) continue;
      EXPECT_NE(described.mismatch_of_body(path, "{}"), "") << path;
      EXPECT_NE(described.mismatch_of_body(path, "[3]"), "") << path;
      EXPECT_EQ(ask(served.service(), path, "{}").status, 400) << path;
      EXPECT_EQ(ask(served.service(), path, "[3]").status, 400) << path;
    }
  }
}

// Refused by the route and by its schema, each for one reason.
TEST(OpenApi, RefusesWhatRoutesRefuse) {
  OfJob embed("embed"), fill("fill"), write("write"), tag("tag");
  const auto both = [](OfJob& job, const std::string& path, const std::string& body) {
    EXPECT_EQ(ask(job.service(), path, body).status, 400) << body;
    EXPECT_NE(Described(job.service()).mismatch_of_body(path, body), "") << body;
  };
  both(embed, "/v1/embeddings", R"({"input": []})");
  both(embed, "/v1/embeddings", R"({"input": ["a", 1]})");
  both(embed, "/v1/embeddings", R"({"input": "a", "dimensions": 13})");
  both(embed, "/v1/embeddings", R"({"input": "a", "dimension": 3})");
  both(embed, "/v1/embeddings", R"({"input": "a", "encoding_format": "hex"})");
  both(embed, "/embed", R"({"inputs": "a", "truncation_direction": "left"})");
  both(embed, "/similarity", R"({"inputs": {"source_sentence": "a"}})");
  both(embed, "/similarity",
       R"({"inputs": {"source_sentence": "a", "sentences": ["b"]}, "parameters": {"a": 1}})");
  both(fill, "/fill", R"({"text": "[MASK]", "top": 0})");
  both(fill, "/fill", R"([{"text": "[MASK]", "top": 1}])");
  both(write, "/v1/completions", R"({"prompt": "a", "tools": []})");
  both(write, "/v1/completions", R"({"prompt": "a", "n": 0})");
  both(write, "/v1/completions", R"({"prompt": "a", "response_format": {"type": "json_object"}})");
  both(tag, "/", R"({"inputs": "a", "parameters": {"aggregation_strategy": "most"}})");
  both(tag, "/", R"({"inputs": "a", "parameters": {"ignore_labels": []}})");
}

TEST(OpenApi, OptionsOfTheServerAreInTheSchemas) {
  Service strict({.folder = golden_model("embed"), .max_inputs = 3, .token_ids = false, .truncate = true});
  strict.wait_until_ready();
  const Described described(strict);
  EXPECT_NE(described.mismatch_of_body("/embed", R"({"inputs": [[3, 4]]})"), "");
  EXPECT_NE(described.mismatch_of_body("/embed", R"({"inputs": ["a", "b", "c", "d"]})"), "");
  EXPECT_EQ(described.mismatch_of_body("/embed", R"({"inputs": ["a", "b", "c"], "normalize": null})"), "");
  EXPECT_EQ(described.mismatch_of_body("/decode", R"({"ids": [[3, 4]]})"), "");
  EXPECT_EQ(ask(strict, "/decode", R"({"ids": [[3, 4]]})").status, 200);
  const Element truncate = described.body_schema("/embed")["properties"]["truncate"].value();
  EXPECT_TRUE(truncate["default"].get_bool().value());
}

TEST(OpenApi, DescribesRerankersChatsAndErrors) {
  const Reranker folder;
  Service rerank({.folder = folder.path()});
  rerank.wait_until_ready();
  const Described described(rerank);
  for (const auto& [path, body] : std::initializer_list<std::pair<const char*, const char*>>{
           {"/rerank", R"({"query": "dog", "texts": ["a", "b"], "return_text": true})"},
           {"/rerank", R"({"query": "dog", "documents": ["a", {"text": "b"}]})"},
           {"/v1/rerank", R"({"query": "dog", "documents": ["a"], "top_n": 1, "return_documents": true})"}}) {
    EXPECT_EQ(described.mismatch_of_body(path, body), "") << body;
    EXPECT_EQ(described.mismatch_of_result(path, ask(rerank, path, body).body), "") << body;
  }
  EXPECT_NE(described.mismatch_of_body("/v1/rerank", R"({"query": "dog", "texts": ["a"]})"), "");
  for (const auto& [name, path] : {std::pair("OpenAiError", "/v1/rerank"), std::pair("Error", "/rerank")}) {
    const Element schema = described.root()["components"]["schemas"][name].value();
    const Parsed answer(ask(rerank, path, R"({"query": 3})").body);
    EXPECT_EQ(JsonSchema::mismatch(schema, answer.at(""), true), "") << path;
  }
}

TEST(OpenApi, DescribesTheAnswersToGets) {
  OfJob fill("fill");
  const Described described(fill.service());
  for (const std::string path : {"/v1/models", "/info", "/openapi.json", "/health"}) {
    const Element all = described.root()["paths"][path]["get"]["responses"]["200"]["content"].value();
    const Parsed answer(get(fill.service(), path).body);
    EXPECT_EQ(JsonSchema::mismatch(all["application/json"]["schema"].value(), answer.at(""), true), "")
        << path;
  }
}

}  // namespace
}  // namespace locus::serve
