package offer

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// stretch is how often the key is hashed. A search for another key with the same words pays it for
// each attempt, and there are 100 · 2^24 of them.
const stretch = 1 << 14

// KeyWords returns a key as people compare it aloud, like lion-maple-chair-42. It depends only on
// the key's 32 bytes, since the owner chooses the name. It is the same in every language. It is
// empty for a malformed key.
func KeyWords(key string) string {
	parts := strings.SplitN(key, "+", 3)
	material, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(parts) < 3 {
		return ""
	}
	sum := sha256.Sum256(append([]byte("pakli words\n"), material...))
	for range stretch {
		sum = sha256.Sum256(sum[:])
	}
	list := strings.Fields(words)
	return fmt.Sprintf("%s-%s-%s-%02d", list[sum[0]], list[sum[1]], list[sum[2]], (int(sum[3])<<8|int(sum[4]))%100)
}

// words are 256 plain words, no two of which sound alike.
const words = `
acorn album alder anchor ankle apple apron arrow artist atlas autumn badge bagel ballet bamboo banana
barrel basket beach beaver bell berry bicycle birch biscuit blanket blossom bonfire border bottle branch bread
bridge broom bucket buffalo butter button cabin cactus camel candle canoe captain carpet carrot castle cedar
cello chair chalk cherry chess chimney cinema circle clay cliff clover coconut comet compass copper coral
cotton cradle crane crayon cricket crown crystal curtain daisy dancer desert diamond dolphin donkey dragon drum
eagle earth echo elbow elephant ember engine envelope evening falcon farmer feather fern ferry fiddle finger
flute forest fossil fountain fox galaxy garden garlic ginger giraffe glacier glove goose granite grape guitar
hammer harbour harp harvest hazel hedge helmet heron honey horizon hotel iceberg igloo island ivory ivy
jacket jaguar jasmine jelly jewel jungle kettle kitchen kite koala ladder lagoon lantern laurel leather lemon
letter lily linen lion lizard lobster lotus magnet mango maple marble market meadow melon mirror monkey
mountain mushroom mustard napkin needle nest noodle notebook nutmeg oak oasis ocean olive onion orange orchid
otter oyster paddle palace panda paper parrot peach peanut pebble pelican pencil pepper piano pigeon pillow
pirate planet plum pocket poppy potato pottery puzzle pyramid quarry quilt rabbit radish raven ribbon river
robin rocket rose saddle saffron salmon sandal scarf school shadow shell silver snow spider spoon stable
statue stone summer sunset swan table teapot temple thunder tiger toast tomato tower train tulip tunnel
turtle umbrella vanilla velvet village violin volcano wagon walnut whale willow window winter wolf yacht zebra
`
