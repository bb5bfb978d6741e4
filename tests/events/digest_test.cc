// Hashes against published vectors, and the chain against its definition.

#include "events/digest.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

#include "events/fingerprint.h"

namespace qmarket {
namespace {

TEST(Sha256, PublishedVectors) {  // FIPS 180-4
  EXPECT_EQ(ToHex(Sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ToHex(Sha256({"abc"})),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(Sha256({"abcdbcdecdefdefgefghfghighijhijkijkljklm", "klmnlmnomnopnopq"})),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(ToHex(Sha256({std::string(1'000'000, 'a')})),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, EveryThreadHasItsOwn) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      const std::string text(static_cast<std::size_t>(i), 'x');
      const Digest first = Sha256({text});
      for (int n = 0; n < 10'000; ++n)
        EXPECT_EQ(Sha256({text}), first);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
}

TEST(FingerprintOf, IsTheFirstHalf) {
  EXPECT_EQ(ToHex(FingerprintOf("abc")), "ba7816bf8f01cfea414140de5dae2223");
}

TEST(DigestChain, StartsAtZero) {
  EXPECT_EQ(ToHex(DigestChain().value()), std::string(64, '0'));
}

// Made with another program: sha256(previous + offset.to_bytes(8, "big") + bytes).
TEST(DigestChain, LinksAsDefined) {
  DigestChain chain;
  chain.Add(0, "a");
  EXPECT_EQ(ToHex(chain.value()),
            "f7c411c3f13be9de119e111afaab09a3db475c2348ae0294fec3939dc695d7b0");
  chain.Add(0x0102030405060708, "bc");
  EXPECT_EQ(ToHex(chain.value()),
            "5dc51dc3652d6f600b6004de9d9bdd6c90fa0f4c775727f16cff6921eb7504f9");
  DigestChain resumed(chain.value());
  resumed.Add(0x0102030405060709, "");
  chain.Add(0x0102030405060709, "");
  EXPECT_EQ(resumed, chain);
}

TEST(DigestChain, OffsetsAndOrderCount) {
  DigestChain one;
  one.Add(1, "a");
  one.Add(2, "b");
  DigestChain other_offset;
  other_offset.Add(1, "a");
  other_offset.Add(3, "b");
  DigestChain other_order;
  other_order.Add(1, "b");
  other_order.Add(2, "a");
  EXPECT_NE(one, other_offset);
  EXPECT_NE(one, other_order);
}

}  // namespace
}  // namespace qmarket
